//! English names of feasts that move with Easter or the moon, and of those that last several days.

use crate::extract::grammar::term::{Holiday, Term};
use crate::extract::lang::Group;

/// Feasts of the churches that move with Easter.
pub(super) const EASTER: &[Group] = &[
    (Term::Holiday(Holiday::Easter(0)), &["easter", "easter sunday", "easter day"]),
    (Term::Holiday(Holiday::Easter(1)), &["easter monday", "easter mon"]),
    (Term::Holiday(Holiday::Easter(-1)), &["holy saturday", "easter saturday", "easter eve"]),
    (Term::Holiday(Holiday::Easter(-2)), &["good friday"]),
    (
        Term::Holiday(Holiday::Easter(-3)),
        &[
            "maundy thursday",
            "covenant thursday",
            "covenant thu",
            "holy thursday",
            "thursday of mysteries",
            "thu of mysteries",
            "sheer thursday",
        ],
    ),
    (Term::Holiday(Holiday::Easter(-7)), &["palm sunday", "branch sunday"]),
    (Term::Holiday(Holiday::Easter(-46)), &["ash wednesday"]),
    (
        Term::Holiday(Holiday::Easter(-47)),
        &["shrove tuesday", "pancake day", "pancake tuesday", "mardi gras", "fat tuesday"],
    ),
    (Term::Holiday(Holiday::Easter(-48)), &["shrove monday", "rose monday"]),
    (Term::Holiday(Holiday::Easter(39)), &["ascension day", "ascension thursday"]),
    (
        Term::Holiday(Holiday::Easter(49)),
        &["pentecost", "whit sunday", "whitsunday", "white sunday"],
    ),
    (
        Term::Holiday(Holiday::Easter(50)),
        &["whit monday", "pentecost monday", "monday of the holy spirit"],
    ),
    (Term::Holiday(Holiday::Easter(56)), &["trinity sunday"]),
    (Term::Holiday(Holiday::Easter(60)), &["corpus christi", "feast of corpus christi"]),
    (
        Term::Holiday(Holiday::Orthodox(0)),
        &["orthodox easter", "orthodox easter sunday", "greek easter", "pascha"],
    ),
    (Term::Holiday(Holiday::Orthodox(1)), &["orthodox easter monday"]),
    (Term::Holiday(Holiday::Orthodox(-1)), &["orthodox holy saturday"]),
    (Term::Holiday(Holiday::Orthodox(-2)), &["orthodox good friday", "orthodox great friday"]),
    (Term::Holiday(Holiday::Orthodox(-7)), &["orthodox palm sunday", "orthodox branch sunday"]),
    (Term::Holiday(Holiday::Orthodox(-8)), &["lazarus saturday"]),
    (
        Term::Holiday(Holiday::Orthodox(-48)),
        &["clean monday", "orthodox shrove monday", "orthodox ash monday", "green monday"],
    ),
    (Term::Holiday(Holiday::Orthodox(49)), &["orthodox pentecost"]),
];

/// Feasts of calendars that follow the moon.
pub(super) const MOON: &[Group] = &[
    (
        Term::Holiday(Holiday::Lunar(1, 1)),
        &[
            "chinese new year",
            "chinese new year's day",
            "chinese new years day",
            "chinese new years' day",
            "chinese new year day",
            "chinese new year's",
            "chinese new years",
            "chinese new years'",
            "chinese lunar new year",
            "chinese lunar new year's day",
            "chinese lunar new years day",
            "chinese lunar new years' day",
            "chinese lunar new year day",
            "lunar new year",
            "lunar new year's day",
            "lunar new years day",
            "lunar new years' day",
            "lunar new year day",
            "tet",
        ],
    ),
    (
        Term::Holiday(Holiday::Lunar(8, 15)),
        &["mid-autumn festival", "mid autumn festival", "moon festival"],
    ),
    (Term::Holiday(Holiday::Lunar(5, 5)), &["dragon boat festival"]),
    (Term::Holiday(Holiday::Lunar(1, 15)), &["lantern festival"]),
    (
        Term::Holiday(Holiday::Islamic(10, 1)),
        &["eid al-fitr", "eid al fitr", "eid ul-fitr", "id al-fitr", "id ul-fitr", "eid"],
    ),
    (
        Term::Holiday(Holiday::Islamic(12, 10)),
        &[
            "eid al-adha",
            "eid al adha",
            "eid ul-adha",
            "id al-adha",
            "id ul-adha",
            "sacrifice feast",
            "feast of the sacrifice",
            "bakr id",
            "bakr-id",
            "bakri id",
        ],
    ),
    (Term::Holiday(Holiday::Islamic(1, 1)), &["islamic new year", "amun jadid", "hijri new year"]),
    (Term::Holiday(Holiday::Islamic(1, 10)), &["ashura", "day of ashura", "hosay"]),
    (Term::Holiday(Holiday::Islamic(3, 12)), &["mawlid", "mawlid al-nabawi", "milad un-nabi"]),
    (
        Term::Holiday(Holiday::Islamic(9, 27)),
        &[
            "laylat al-qadr",
            "laylat al kadr",
            "laylat al qadr",
            "night of power",
            "night of measures",
            "night of decree",
        ],
    ),
    (
        Term::Holiday(Holiday::Islamic(7, 27)),
        &[
            "isra and mi'raj",
            "the night journey",
            "night journey",
            "the prophet's ascension",
            "the prophets ascension",
            "the prophets' ascension",
            "the prophet ascension",
            "ascension to heaven",
            "lailat al miraj",
        ],
    ),
    (
        Term::Holiday(Holiday::Islamic(7, 13)),
        &[
            "hazarat ali's birthday",
            "hazarat alis birthday",
            "hazarat alis' birthday",
            "hazarat ali birthday",
            "hazrat ali's birthday",
            "hazrat alis birthday",
            "hazrat alis' birthday",
            "hazrat ali birthday",
        ],
    ),
    (Term::Holiday(Holiday::Hebrew(7, 10)), &["yom kippur", "day of atonement"]),
    (Term::Holiday(Holiday::Hebrew(7, 22)), &["shemini atzeret"]),
    (Term::Holiday(Holiday::Hebrew(7, 23)), &["simchat torah"]),
    (
        Term::Holiday(Holiday::Hebrew(11, 15)),
        &["tu bishvat", "tu b'shvat", "tu bshvat", "tu bs'hvat", "tu bhvat"],
    ),
    (Term::Holiday(Holiday::Hebrew(12, 14)), &["purim"]),
    (Term::Holiday(Holiday::Hebrew(12, 15)), &["shushan purim"]),
    (
        Term::Holiday(Holiday::Hebrew(1, 27)),
        &["yom hashoah", "holocaust day", "holocaust remembrance day"],
    ),
    (Term::Holiday(Holiday::Hebrew(2, 18)), &["lag b'omer", "lag baomer"]),
    (Term::Holiday(Holiday::Hebrew(5, 9)), &["tisha b'av"]),
];

/// What lasts several days, up to the second holiday without it.
pub(super) const FESTIVALS: &[Group] = &[
    (
        Term::Festival(Holiday::Islamic(9, 1), Holiday::Islamic(10, 1)),
        &["ramadan", "ramadhan", "ramzan", "ramzaan", "ramadan month"],
    ),
    (
        Term::Festival(Holiday::Hebrew(9, 25), Holiday::Hebrew(9, 33)),
        &["hanukkah", "chanukah", "hanukah", "hannukkah", "chanukkah"],
    ),
    (
        Term::Festival(Holiday::Hebrew(7, 1), Holiday::Hebrew(7, 3)),
        &["rosh hashanah", "rosh hashana", "rosh hashanna", "rosh ha-shanah", "yom teruah"],
    ),
    (
        Term::Festival(Holiday::Hebrew(7, 15), Holiday::Hebrew(7, 23)),
        &[
            "sukkot",
            "succos",
            "sukkos",
            "feast of tabernacles",
            "feast of booths",
            "feast of the ingathering",
        ],
    ),
    (Term::Festival(Holiday::Hebrew(1, 15), Holiday::Hebrew(1, 23)), &["passover", "pesach"]),
    (
        Term::Festival(Holiday::Hebrew(3, 6), Holiday::Hebrew(3, 8)),
        &["shavuot", "shavuos", "feast of weeks"],
    ),
    (
        Term::Festival(Holiday::Easter(-46), Holiday::Easter(0)),
        &["season of lent", "lent season", "great lent"],
    ),
    (Term::Festival(Holiday::Easter(-7), Holiday::Easter(0)), &["holy week"]),
    (Term::Festival(Holiday::Fixed(12, 26), Holiday::Fixed(1, 2)), &["kwanzaa"]),
];

/// Feasts of the Hindu calendar, and those of the Sikhs and Jains that it sets.
pub(super) const TITHIS: &[Group] = &[
    (
        Term::Holiday(Holiday::Hindu(1, 1, 6)),
        &["ugadi", "yugadi", "samvatsaradi", "chaitra sukhladi", "chaitra sukladi", "gudi padwa"],
    ),
    (Term::Holiday(Holiday::Hindu(1, 9, 12)), &["rama navami", "ram navami"]),
    (
        Term::Holiday(Holiday::Hindu(1, 13, 6)),
        &[
            "mahavir jayanti",
            "mahaveer jayanti",
            "mahavir janma kalyanak",
            "mahaveer janma kalyanak",
        ],
    ),
    (Term::Holiday(Holiday::Hindu(1, 15, 6)), &["hanuman jayanti"]),
    (
        Term::Holiday(Holiday::Hindu(2, 15, 6)),
        &["vesak", "vaisakha", "buddha day", "buddha purnima"],
    ),
    (Term::Holiday(Holiday::Hindu(4, 2, 6)), &["ratha-yatra", "ratha yatra", "rath yatra"]),
    (Term::Holiday(Holiday::Hindu(4, 15, 6)), &["guru purnima"]),
    (Term::Holiday(Holiday::Hindu(5, 15, 6)), &["raksha bandhan", "rakhi"]),
    (Term::Holiday(Holiday::Hindu(5, 23, 24)), &["krishna janmashtami", "janmashtami"]),
    (Term::Holiday(Holiday::Hindu(6, 4, 12)), &["ganesh chaturthi", "vinayaka chaturthi"]),
    (Term::Holiday(Holiday::Hindu(7, 7, 18)), &["maha saptami"]),
    (
        Term::Holiday(Holiday::Hindu(7, 10, 16)),
        &["dussehra", "dasara", "vijayadashami", "vijaya dashami"],
    ),
    (
        Term::Holiday(Holiday::Hindu(7, 15, 6)),
        &["pargat diwas", "valmiki jayanti", "maharishi valmiki jayanti"],
    ),
    (Term::Holiday(Holiday::Hindu(7, 19, 20)), &["karva chauth", "karwa chauth"]),
    (Term::Holiday(Holiday::Hindu(7, 28, 18)), &["dhanteras", "dhanatrayodashi"]),
    (
        Term::Holiday(Holiday::Hindu(7, 29, 18)),
        &["naraka chaturdashi", "choti diwali", "chhoti diwali", "kali chaudas"],
    ),
    (Term::Holiday(Holiday::Hindu(7, 30, 18)), &["diwali", "deepavali", "divali", "lakshmi puja"]),
    (Term::Holiday(Holiday::Hindu(8, 2, 13)), &["bhai dooj", "bhai duj"]),
    (
        Term::Holiday(Holiday::Hindu(8, 6, 18)),
        &["chhath", "chhath puja", "dala puja", "surya shashthi", "dala chhath"],
    ),
    (Term::Holiday(Holiday::Hindu(8, 15, 6)), &["guru nanak jayanti", "guru nanak gurpurab"]),
    (
        Term::Holiday(Holiday::Hindu(10, 7, 6)),
        &[
            "guru gobind singh jayanti",
            "guru govind singh jayanti",
            "guru gobind singh birthday",
            "guru gobind singh's birthday",
        ],
    ),
    (Term::Holiday(Holiday::Hindu(11, 5, 6)), &["vasant panchami", "basant panchami"]),
    (
        Term::Holiday(Holiday::Hindu(11, 15, 6)),
        &[
            "guru ravidass jayanti",
            "guru ravidas jayanti",
            "guru ravidass birthday",
            "guru ravidas birthday",
        ],
    ),
    (
        Term::Holiday(Holiday::Hindu(11, 25, 6)),
        &[
            "saraswati jayanti",
            "dayananda saraswati jayanti",
            "maharishi dayananda saraswati jayanti",
        ],
    ),
    (
        Term::Holiday(Holiday::Hindu(11, 29, 24)),
        &["maha shivaratri", "maha shivratri", "shivaratri"],
    ),
    (
        Term::Holiday(Holiday::Hindu(12, 15, 18)),
        &["holika dahan", "chhoti holi", "choti holi", "kamudu pyre"],
    ),
    (
        Term::Holiday(Holiday::Hindu(12, 16, 18)),
        &["holi", "dhulandi", "dhulandi holi", "phagwah", "phagwa"],
    ),
    (
        Term::Festival(Holiday::Hindu(7, 1, 18), Holiday::Hindu(7, 11, 18)),
        &["navaratri", "navratri", "durga puja"],
    ),
];
