//! Signs and abbreviations that every language shares.

use crate::extract::dialogue::operators::Operator;
use crate::extract::grammar::term::{Axis, Hemisphere, Part, Side, Term};

use super::{Group, Vocabulary, signs};

pub(super) static WORDS: Vocabulary = Vocabulary {
    everywhere: true,
    bare_magnitude: false,
    words: &[
        NUMBERS,
        BOUNDS,
        PLACES,
        TIMES,
        ASSENT,
        signs::WORDS,
        signs::CURRENCIES,
        signs::ADDRESSES,
    ],
    turns: &[ASSENT, JOINING],
    ..Vocabulary::PLAIN
};

const NUMBERS: &[Group] = &[
    (Term::Percent, &["%", "٪", "﹪"]),
    (Term::PerMille, &["‰"]),
    (Term::Scale(1e3), &["k"]),
    (Term::Scale(1e9), &["bn", "bln"]),
    (Term::Scale(1e12), &["tln"]),
    (Term::LetterScale(1e6), &["m", "mm"]),
    (Term::LetterScale(1e9), &["g", "b"]),
    (Term::LetterScale(1e12), &["t"]),
    (Term::MoneyScale(1e6), &["m", "mm", "mn"]),
    (Term::MoneyScale(1e9), &["b"]),
    (Term::NoNumber, &["24/7"]),
    (Term::TimeSign, &["h", "hr", "hrs", "min", "mins", "s", "sec", "secs", "ms"]),
];

const BOUNDS: &[Group] = &[
    (Term::Bound(Side::MORE_THAN), &[">"]),
    (Term::Bound(Side::AT_LEAST), &[">=", "≥", "≧"]),
    (Term::Bound(Side::LESS_THAN), &["<"]),
    (Term::Bound(Side::AT_MOST), &["<=", "≤", "≦"]),
];

const PLACES: &[Group] = &[
    (Term::Hemisphere(Hemisphere::East), &["e"]),
    (Term::Hemisphere(Hemisphere::West), &["w"]),
    (Term::Hemisphere(Hemisphere::North), &["n"]),
    (Term::Hemisphere(Hemisphere::South), &["s"]),
    (Term::Degree, &["°", "º", "˚", "deg", "degs"]),
    (Term::Axis(Axis::Longitude), &["lon", "long", "lng"]),
    (Term::Axis(Axis::Latitude), &["lat"]),
    (Term::Is, &[":", "="]),
    (Term::Box, &["bbox"]),
    (Term::Coordinates, &["@"]),
];

const TIMES: &[Group] = &[
    (Term::Meridiem(Part::Morning), &["am", "a.m.", "a.m", "a. m."]),
    (Term::Meridiem(Part::Afternoon), &["pm", "p.m.", "p.m", "p. m."]),
    (Term::GluedMeridiem(Part::Morning), &["a"]),
    (Term::GluedMeridiem(Part::Afternoon), &["p"]),
    (Term::QuarterSign, &["q"]),
    (Term::Zone(-600), &["hst"]),
    (Term::Zone(-540), &["akst"]),
    (Term::Zone(-480), &["pst", "akdt"]),
    (Term::Zone(-420), &["mst", "pdt"]),
    (Term::Zone(-360), &["cst"]),
    (Term::Zone(-300), &["est"]),
    (Term::Zone(-240), &["edt"]),
    (Term::Zone(-180), &["brt"]),
    (Term::Zone(0), &["utc", "gmt"]),
    (Term::Zone(60), &["bst", "cet"]),
    (Term::Zone(120), &["cest", "eet"]),
    (Term::Zone(180), &["eest", "msk"]),
    (Term::Zone(240), &["gst"]),
    (Term::Zone(330), &["ist"]),
    (Term::Zone(480), &["sgt", "hkt", "awst"]),
    (Term::Zone(540), &["jst", "kst"]),
    (Term::Zone(570), &["acst"]),
    (Term::Zone(600), &["aest"]),
    (Term::Zone(660), &["aedt"]),
    (Term::Zone(720), &["nzst"]),
    (Term::Zone(780), &["nzdt"]),
];

const ASSENT: &[Group] = &[
    (Term::Yes, &["👌", "👌🏻", "👌🏼", "👌🏽", "👌🏾", "👌🏿", "👍", "👍🏻", "👍🏼", "👍🏽", "👍🏾", "👍🏿", "✅"]),
    (Term::No, &["👎", "👎🏻", "👎🏼", "👎🏽", "👎🏾", "👎🏿", "❌"]),
];

const JOINING: &[Group] = &[
    (Term::Operator(Operator::And), &[",", "、", "&", "+"]),
    (Term::Operator(Operator::Or), &["/", "|"]),
];
