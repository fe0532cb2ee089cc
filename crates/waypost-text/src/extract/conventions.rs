//! The habits that people share without saying so, and that differ from place to place: when the
//! evening begins, whether a weekend starts on Friday, which dollars are meant.

/// Habits that readings depend on where the words leave them open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conventions {
    /// True if 6/11 is the sixth of November; `None` leaves it to the language.
    pub day_first: Option<bool>,
    /// The currency of a bare "$" or "dollars", in ISO 4217; `None` for US dollars.
    pub currency: Option<&'static str>,
    /// The hours at which the parts of a day begin and end.
    pub hours: Hours,
    /// The hour on Friday at which the weekend begins; `None` for Saturday's first.
    pub weekend_from_friday: Option<i8>,
}

/// The parts of a day, each from an hour to an hour; above 24 is the day after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Hours {
    pub dawn: (i8, i8),
    pub early_morning: (i8, i8),
    pub morning: (i8, i8),
    pub breakfast: (i8, i8),
    pub late_morning: (i8, i8),
    pub lunch: (i8, i8),
    pub early_afternoon: (i8, i8),
    pub afternoon: (i8, i8),
    pub late_afternoon: (i8, i8),
    pub evening: (i8, i8),
    pub dinner: (i8, i8),
    pub night: (i8, i8),
    pub late_night: (i8, i8),
    pub daytime: (i8, i8),
}

impl Conventions {
    /// The conventions that hold where a request names no others.
    pub const STANDARD: Conventions = Conventions {
        day_first: None,
        currency: None,
        hours: Hours {
            dawn: (4, 6),
            early_morning: (5, 9),
            morning: (6, 12),
            breakfast: (6, 9),
            late_morning: (10, 12),
            lunch: (12, 14),
            early_afternoon: (12, 15),
            afternoon: (12, 18),
            late_afternoon: (15, 18),
            evening: (18, 22),
            dinner: (18, 21),
            night: (18, 24),
            late_night: (21, 24),
            daytime: (6, 18),
        },
        weekend_from_friday: None,
    };
}

impl Default for Conventions {
    fn default() -> Self {
        Self::STANDARD
    }
}
