//! The table of channels: address, meaning, unit, and what may be set.
//!
//! The router reads limits from the pack's `channels.yaml`, and the ring holds to those of this
//! table, whoever asks. A test compares the two.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::number::round;
use crate::pack::Failure;
use crate::random::{key, uniform};

/// The value of a channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reading {
    Number(f64),
    Word(&'static str),
}

impl Reading {
    pub(super) fn json(self) -> Value {
        match self {
            Self::Number(value) => json!(value),
            Self::Word(word) => json!(word),
        }
    }
}

/// The quantity that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Current,
    Energy,
    Lifetime,
    Loss,
    TuneX,
    TuneY,
    EmittanceX,
    EmittanceY,
    Efficiency,
    LinacEnergy,
    ForwardPower,
    ReflectedPower,
    CavityTemperature,
    Pressure,
    OrbitX,
    OrbitY,
    WaterFlow,
    TunnelTemperature,
    Dose,
    Permit,
    Doors,
}

/// The words of the safety permit; the first one is how a ring runs.
pub(super) const PERMIT: [&str; 2] = ["granted", "not granted"];

/// The words of the doors, likewise.
pub(super) const DOORS: [&str; 2] = ["closed", "open"];

/// The sort of a channel: measured or set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Measured(Quantity),
    /// A number that is set. Each channel of a row begins a little off `initial`, at most `spread`.
    Number {
        least: f64,
        most: f64,
        initial: f64,
        spread: f64,
    },
    /// One of two words that is set; the first one is how a ring runs.
    Word([&'static str; 2]),
}

/// A row of the table: one channel, or the numbered ones of a kind.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The address; a `#` stands for the number.
    address: &'static str,
    /// The number of channels.
    count: u32,
    /// Its description; behind a semicolon are more words that it is found by. A `#` likewise.
    words: &'static str,
    unit: &'static str,
    decimals: i32,
    kind: Kind,
    /// True if it can be set only with the safety permit.
    interlocked: bool,
}

/// A row that is measured.
const fn measured(
    count: u32,
    address: &'static str,
    quantity: Quantity,
    unit: (&'static str, i32),
    words: &'static str,
) -> Row {
    let (unit, decimals) = unit;
    let kind = Kind::Measured(quantity);
    Row { address, count, words, unit, decimals, kind, interlocked: false }
}

/// A row of numbers that are set: the least and the most, where they begin, and how far off that.
const fn number(
    count: u32,
    address: &'static str,
    limits: (f64, f64, f64, f64),
    unit: (&'static str, i32),
    words: &'static str,
) -> Row {
    let (least, most, initial, spread) = limits;
    let (unit, decimals) = unit;
    let kind = Kind::Number { least, most, initial, spread };
    Row { address, count, words, unit, decimals, kind, interlocked: false }
}

/// A row of words that are set.
const fn word(
    count: u32,
    address: &'static str,
    states: [&'static str; 2],
    words: &'static str,
) -> Row {
    let kind = Kind::Word(states);
    Row { address, count, words, unit: "", decimals: 0, kind, interlocked: false }
}

/// A row that can be set only with the safety permit.
const fn interlocked(row: Row) -> Row {
    let Row { address, count, words, unit, decimals, kind, .. } = row;
    Row { address, count, words, unit, decimals, kind, interlocked: true }
}

/// The states of an ion pump, and of a valve or shutter.
const PUMP: [&str; 2] = ["on", "off"];
const VALVE: [&str; 2] = ["open", "closed"];

/// The limits of a quadrupole, of a sextupole and of a corrector, and where they begin.
const QF: (f64, f64, f64, f64) = (0.0, 300.0, 118.0, 0.8);
const QD: (f64, f64, f64, f64) = (0.0, 300.0, 87.0, 0.8);
const SF: (f64, f64, f64, f64) = (0.0, 300.0, 45.0, 0.0);
const SD: (f64, f64, f64, f64) = (0.0, 300.0, 62.0, 0.0);
const CORRECTOR: (f64, f64, f64, f64) = (-20.0, 20.0, 0.0, 1.5);

/// The table, in the order of the pack.
const ROWS: &[Row] = &[
    measured(1, "RING:BEAM:CURRENT", Quantity::Current, ("mA", 2), "beam current; stored DCCT"),
    measured(1, "RING:BEAM:ENERGY", Quantity::Energy, ("GeV", 4), "beam energy"),
    measured(1, "RING:BEAM:LIFETIME", Quantity::Lifetime, ("h", 2), "beam lifetime"),
    measured(1, "RING:BEAM:LOSS", Quantity::Loss, ("1/s", 0), "beam loss rate; monitor"),
    measured(1, "RING:TUNE:X", Quantity::TuneX, ("", 4), "horizontal tune; betatron nux"),
    measured(1, "RING:TUNE:Y", Quantity::TuneY, ("", 4), "vertical tune; betatron nuy"),
    measured(1, "RING:EMITTANCE:X", Quantity::EmittanceX, ("nm.rad", 3), "horizontal emittance"),
    measured(1, "RING:EMITTANCE:Y", Quantity::EmittanceY, ("nm.rad", 4), "vertical emittance"),
    measured(1, "INJ:EFFICIENCY", Quantity::Efficiency, ("%", 1), "injection efficiency; injector"),
    interlocked(number(
        1,
        "INJ:GUN:VOLTAGE",
        (0.0, 150.0, 90.0, 0.0),
        ("kV", 2),
        "electron gun voltage; injector",
    )),
    measured(1, "INJ:LINAC:ENERGY", Quantity::LinacEnergy, ("MeV", 2), "linac energy; injector"),
    number(1, "INJ:RATE", (0.0, 50.0, 10.0, 0.0), ("Hz", 2), "repetition rate; injector injection"),
    number(1, "MAG:B1:CURRENT", (0.0, 1000.0, 420.0, 0.0), ("A", 3), "dipole current; magnet bend"),
    number(4, "MAG:QF#:CURRENT", QF, ("A", 3), "focusing quadrupole QF# current; quad magnet"),
    number(4, "MAG:QD#:CURRENT", QD, ("A", 3), "defocusing quadrupole QD# current; quad magnet"),
    number(1, "MAG:SF1:CURRENT", SF, ("A", 3), "sextupole SF1 current; magnet"),
    number(1, "MAG:SD1:CURRENT", SD, ("A", 3), "sextupole SD1 current; magnet"),
    number(8, "MAG:HC#:CURRENT", CORRECTOR, ("A", 3), "horizontal corrector HC# current; steerer"),
    number(8, "MAG:VC#:CURRENT", CORRECTOR, ("A", 3), "vertical corrector VC# current; steerer"),
    number(1, "RF:CAVITY:VOLTAGE", (0.0, 1500.0, 1000.0, 0.0), ("kV", 2), "cavity voltage"),
    number(1, "RF:CAVITY:PHASE", (-180.0, 180.0, 150.0, 0.0), ("deg", 2), "cavity phase"),
    number(
        1,
        "RF:MASTER:FREQUENCY",
        (490.0, 510.0, 499.65, 0.0),
        ("MHz", 5),
        "master frequency; oscillator",
    ),
    measured(1, "RF:FORWARD:POWER", Quantity::ForwardPower, ("kW", 2), "forward power; klystron"),
    measured(1, "RF:REFLECTED:POWER", Quantity::ReflectedPower, ("kW", 3), "reflected power"),
    measured(
        1,
        "RF:CAVITY:TEMPERATURE",
        Quantity::CavityTemperature,
        ("Cel", 2),
        "cavity temperature",
    ),
    measured(8, "VAC:S#:PRESSURE", Quantity::Pressure, ("mbar", 12), "vacuum pressure of sector #"),
    word(8, "VAC:S#:PUMP", PUMP, "ion pump of sector #; vacuum"),
    word(8, "VAC:S#:VALVE", VALVE, "gate valve of sector #; vacuum"),
    measured(8, "BPM:#:X", Quantity::OrbitX, ("mm", 4), "horizontal position at BPM #; orbit BPM#"),
    measured(8, "BPM:#:Y", Quantity::OrbitY, ("mm", 4), "vertical position at BPM #; orbit BPM#"),
    number(
        1,
        "WATER:TEMPERATURE",
        (10.0, 40.0, 25.0, 0.0),
        ("Cel", 2),
        "cooling water temperature",
    ),
    measured(1, "WATER:FLOW", Quantity::WaterFlow, ("L/min", 1), "cooling water flow"),
    measured(
        1,
        "TUNNEL:TEMPERATURE",
        Quantity::TunnelTemperature,
        ("Cel", 2),
        "tunnel temperature",
    ),
    measured(1, "RAD:HALL:DOSE", Quantity::Dose, ("uSv/h", 3), "radiation dose rate in the hall"),
    number(2, "ID:U#:GAP", (5.0, 250.0, 20.0, 2.0), ("mm", 3), "gap of undulator U#; insertion"),
    word(3, "FE:#:SHUTTER", VALVE, "front-end shutter #; beamline"),
    measured(1, "SAFETY:PERMIT", Quantity::Permit, ("", 0), "safety permit; interlock"),
    measured(1, "SAFETY:DOORS", Quantity::Doors, ("", 0), "doors of the tunnel; safety interlock"),
];

/// A channel of the ring.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) address: String,
    /// Its number among those of its kind, from 1; 0 where there is one of a kind.
    pub(super) number: u32,
    /// Its description.
    pub(super) description: String,
    /// All words that it is found by.
    pub(super) words: String,
    /// Its unit as UCUM has it; empty where it has none.
    pub(super) unit: &'static str,
    /// The decimals of a value.
    pub(super) decimals: i32,
    pub(super) kind: Kind,
    /// True if it can be set only with the safety permit.
    pub(super) interlocked: bool,
    /// The word of its noise.
    pub(super) key: u64,
}

impl Channel {
    fn new(row: &Row, number: u32) -> Self {
        let digits = number.to_string();
        let filled = |text: &str| text.replace('#', &digits);
        let address = filled(row.address);
        let words = filled(row.words);
        let description = words.split(';').next().unwrap_or_default().to_owned();
        Self {
            key: key(&address),
            number: if row.address.contains('#') { number } else { 0 },
            words: format!("{} {words}", address.replace(':', " ")),
            address,
            description,
            unit: row.unit,
            decimals: row.decimals,
            kind: row.kind,
            interlocked: row.interlocked,
        }
    }

    /// The value that a server begins with, of a channel that can be set.
    pub(super) fn initial(&self) -> Option<Reading> {
        match self.kind {
            Kind::Measured(_) => None,
            Kind::Number { initial, spread, .. } => {
                let off = spread * (2.0 * uniform(&[self.key, 1]) - 1.0);
                Some(Reading::Number(round(initial + off, 2)))
            }
            Kind::Word([first, _]) => Some(Reading::Word(first)),
        }
    }

    /// The two words of a channel that has words, the first one as a ring runs.
    pub(super) fn states(&self) -> Option<[&'static str; 2]> {
        match self.kind {
            Kind::Word(states) => Some(states),
            Kind::Measured(Quantity::Permit) => Some(PERMIT),
            Kind::Measured(Quantity::Doors) => Some(DOORS),
            Kind::Measured(_) | Kind::Number { .. } => None,
        }
    }

    /// The values that it may be set to, for people.
    pub(super) fn allowed(&self) -> Option<String> {
        match self.kind {
            Kind::Measured(_) => None,
            Kind::Number { least, most, .. } => Some(format!("{least} to {most} {}", self.unit)),
            Kind::Word([first, second]) => Some(format!("`{first}` or `{second}`")),
        }
    }
}

static TABLE: LazyLock<Vec<Channel>> = LazyLock::new(|| {
    let channels = |row: &'static Row| (1..=row.count).map(move |number| Channel::new(row, number));
    ROWS.iter().flat_map(channels).collect()
});

/// All channels, in the order of the table.
pub(super) fn all() -> &'static [Channel] {
    &TABLE
}

/// The channel with an address.
pub(super) fn find(address: &str) -> Option<&'static Channel> {
    all().iter().find(|channel| channel.address.eq_ignore_ascii_case(address.trim()))
}

/// The channels of an address; a star in it stands for anything.
///
/// # Errors
///
/// `NOT_FOUND` where there is none.
pub(super) fn named(address: &str) -> Result<Vec<&'static Channel>, Failure> {
    let pattern = address.trim().to_ascii_uppercase();
    let found: Vec<_> = all().iter().filter(|channel| fits(&pattern, &channel.address)).collect();
    if found.is_empty() {
        return Err(Failure {
            code: "NOT_FOUND",
            message: format!(
                "there is no channel `{address}`; `channel_finding` lists those there are, such as \
                 `RING:BEAM:CURRENT`"
            ),
        });
    }
    Ok(found)
}

/// Returns whether an address is as a pattern says.
fn fits(pattern: &str, address: &str) -> bool {
    let mut parts: Vec<&str> = pattern.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    let Some((first, between)) = parts.split_first() else { return address == last };
    let Some(mut rest) = address.strip_prefix(first) else { return false };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The channels that a call is about, each once: those of `channel`, which is what the user said,
/// else those of `addresses`, which another tool found.
///
/// # Errors
///
/// `INVALID_ARGUMENT` where neither is given, `NOT_FOUND` where one is unknown.
pub(super) fn selected(
    channel: Option<&str>,
    addresses: &[String],
) -> Result<Vec<&'static Channel>, Failure> {
    let names: Vec<&str> = match channel {
        Some(one) => vec![one],
        None => addresses.iter().map(String::as_str).collect(),
    };
    if names.is_empty() {
        return Err(Failure::invalid(
            "`channel` or `addresses` is missing; `channel_finding` gives addresses",
        ));
    }
    let mut selected: Vec<&'static Channel> = Vec::new();
    for name in names {
        for channel in named(name)? {
            if selected.iter().all(|known| known.address != channel.address) {
                selected.push(channel);
            }
        }
    }
    Ok(selected)
}
