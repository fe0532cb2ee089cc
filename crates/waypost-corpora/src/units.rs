//! The corpora's names of units and currencies, and the codes that mean the same.
//!
//! A name that fits several units (a gallon, a dollar) has the codes of all of them. A factor is
//! the value of one such unit in the code's: 5 of the corpus's `Cent` are 0.05 USD. Multiples of ten
//! that the words themselves may name either way (三千瓦: 3 kW, 3000 W) are the same.

use crate::expected::Units;

/// The code of a unit that the corpus leaves open.
pub(crate) const ANY: &str = "*";

type Table = &'static [(&'static [&'static str], &'static [(&'static str, f64)])];

/// The UCUM codes for a corpus's name of a unit; empty where it is unknown.
pub(crate) fn unit(name: &str) -> Units {
    look(UNITS, name)
}

/// The ISO 4217 codes for a corpus's name of a currency; a name of three capitals is one itself.
pub(crate) fn currency(name: &str) -> Units {
    if name.len() == 3 && name.bytes().all(|byte| byte.is_ascii_uppercase()) && name != "PTS" {
        return vec![(name.to_owned(), 1.0)];
    }
    look(CURRENCIES, name)
}

fn look(table: Table, name: &str) -> Units {
    let name = name.to_lowercase();
    let codes = table.iter().find(|entry| entry.0.contains(&name.as_str())).map(|entry| entry.1);
    codes.unwrap_or_default().iter().map(|(code, factor)| ((*code).to_owned(), *factor)).collect()
}

const UNITS: Table = &[
    // Lengths.
    (&["kilometer", "kilometre", "kilómetro"], &[("km", 1.0)]),
    (&["meter", "metre", "metro"], &[("m", 1.0)]),
    (&["centimeter", "centimetre", "centímetro"], &[("cm", 1.0)]),
    (&["millimeter", "millimetre", "milímetro"], &[("mm", 1.0)]),
    (&["decimeter", "decímetro"], &[("dm", 1.0)]),
    (&["micrometer", "micrómetro"], &[("um", 1.0)]),
    (&["nanometer", "nanómetro"], &[("nm", 1.0)]),
    (&["picometer", "picómetro"], &[("pm", 1.0)]),
    (&["mile", "milla"], &[("[mi_i]", 1.0), ("[mi_us]", 1.0)]),
    (&["yard", "yarda"], &[("[yd_i]", 1.0)]),
    (&["foot", "pie"], &[("[ft_i]", 1.0)]),
    (&["inch", "pulgada"], &[("[in_i]", 1.0)]),
    (&["light year", "año luz"], &[("[ly]", 1.0)]),
    (&["pt", "point"], &[("[pnt]", 1.0)]),
    // "3m" may be metres or miles.
    (&["m"], &[("m", 1.0), ("[mi_i]", 1.0)]),
    // Areas.
    (&["square kilometer", "kilómetro cuadrado"], &[("km2", 1.0)]),
    (&["square meter", "metro cuadrado"], &[("m2", 1.0)]),
    (&["square centimeter", "centímetro cuadrado"], &[("cm2", 1.0)]),
    (&["square mile", "milla cuadrada"], &[("[mi_i]2", 1.0), ("[smi_us]", 1.0)]),
    (&["square foot", "pie cuadrado"], &[("[sft_i]", 1.0), ("[ft_i]2", 1.0)]),
    (&["square inch", "pulgada cuadrada"], &[("[sin_i]", 1.0), ("[in_i]2", 1.0)]),
    (&["acre"], &[("[acr_us]", 1.0), ("[acr_br]", 1.0)]),
    (&["hectare", "hectárea"], &[("har", 1.0)]),
    (&["mu"], &[("{mu}", 1.0), ("[mu]", 1.0), ("m2", 10_000.0 / 15.0)]),
    // Volumes.
    (&["liter", "litre", "litro"], &[("L", 1.0), ("l", 1.0)]),
    (&["milliliter", "millilitre", "mililitro"], &[("mL", 1.0), ("ml", 1.0)]),
    (&["centiliter", "centilitro"], &[("cL", 1.0), ("cl", 1.0)]),
    (&["hectolitre", "hectoliter", "hectolitro"], &[("hL", 1.0), ("hl", 1.0)]),
    (&["cubic meter", "metro cúbico"], &[("m3", 1.0)]),
    (&["cubic centimeter", "centímetro cúbico"], &[("cm3", 1.0)]),
    (&["cubic foot", "pie cúbico"], &[("[cft_i]", 1.0), ("[ft_i]3", 1.0)]),
    (&["gallon", "galón"], &[("[gal_us]", 1.0), ("[gal_br]", 1.0)]),
    (&["barrel", "barril"], &[("[bbl_us]", 1.0)]),
    (&["cup", "taza"], &[("[cup_us]", 1.0), ("[cup_m]", 1.0)]),
    (&["tablespoon", "cucharada"], &[("[tbs_us]", 1.0), ("[tbs_m]", 1.0)]),
    (&["teaspoon", "cucharadita"], &[("[tsp_us]", 1.0), ("[tsp_m]", 1.0)]),
    (&["pint", "pinta"], &[("[pt_us]", 1.0), ("[pt_br]", 1.0)]),
    (&["quart"], &[("[qt_us]", 1.0), ("[qt_br]", 1.0)]),
    // Weights.
    (&["kilogram", "kilogramo"], &[("kg", 1.0)]),
    (
        // Duckling gives every mass in grams.
        &["gram", "gramo"],
        &[
            ("g", 1.0),
            ("kg", 1e-3),
            ("mg", 1e3),
            ("ug", 1e6),
            ("{jin}", 1.0 / 500.0),
            ("{liang}", 1.0 / 50.0),
        ],
    ),
    (&["milligram", "miligramo"], &[("mg", 1.0)]),
    (&["microgram", "microgramo"], &[("ug", 1.0)]),
    (&["pound", "libra"], &[("[lb_av]", 1.0)]),
    (&["ounce", "onza"], &[("[oz_av]", 1.0)]),
    (&["dram"], &[("[dr_av]", 1.0)]),
    (&["stone"], &[("[stone_av]", 1.0)]),
    (&["ton", "tonelada"], &[("t", 1.0), ("[ston_av]", 1.0), ("[lton_av]", 1.0)]),
    (&["metric ton", "tonelada métrica"], &[("t", 1.0)]),
    (&["jin"], &[("{jin}", 1.0), ("[jin]", 1.0), ("kg", 0.5), ("g", 500.0)]),
    (&["liang"], &[("{liang}", 1.0), ("[liang]", 1.0), ("kg", 0.05), ("g", 50.0)]),
    // Speeds.
    (&["kilometer per hour", "kilómetro por hora"], &[("km/h", 1.0)]),
    (&["mile per hour", "milla por hora"], &[("[mi_i]/h", 1.0)]),
    (&["meter per second", "metro por segundo"], &[("m/s", 1.0)]),
    (&["meter per millisecond"], &[("m/ms", 1.0)]),
    (&["centimeter per millisecond"], &[("cm/ms", 1.0)]),
    (&["kilometer per millisecond"], &[("km/ms", 1.0)]),
    // Information.
    (&["bit"], &[("bit", 1.0)]),
    (&["kilobit"], &[("kbit", 1.0), ("bit", 1e3)]),
    (&["megabit"], &[("Mbit", 1.0), ("bit", 1e6)]),
    (&["gigabit"], &[("Gbit", 1.0)]),
    (&["byte"], &[("By", 1.0)]),
    (&["kilobyte"], &[("kBy", 1.0), ("KiBy", 1.0), ("By", 1e3)]),
    (&["megabyte"], &[("MBy", 1.0), ("MiBy", 1.0), ("By", 1e6)]),
    (&["gigabyte"], &[("GBy", 1.0), ("GiBy", 1.0)]),
    (&["terabyte"], &[("TBy", 1.0), ("TiBy", 1.0)]),
    // Others.
    (&["hertz"], &[("Hz", 1.0)]),
    (&["kilowatt"], &[("kW", 1.0), ("W", 1e3)]),
    (&["watt"], &[("W", 1.0)]),
    (&["kilocalorie"], &[("kcal", 1.0)]),
    (&["radian", "radián"], &[("rad", 1.0)]),
    (&["turn", "vuelta"], &[("circ", 1.0), ("{turn}", 1.0), ("deg", 360.0)]),
    // Temperatures; a bare degree may be one of an angle.
    (&["c", "celsius", "grado celsius"], &[("Cel", 1.0)]),
    (&["f", "fahrenheit", "grado fahrenheit"], &[("[degF]", 1.0)]),
    (&["k", "kelvin"], &[("K", 1.0)]),
    (&["degree", "grado"], &[("deg", 1.0), ("Cel", 1.0), ("[degF]", 1.0)]),
    // Ages.
    (&["year", "año", "age"], &[("a", 1.0)]),
    (&["month", "mes"], &[("mo", 1.0)]),
    (&["week", "semana"], &[("wk", 1.0)]),
    (&["day", "día"], &[("d", 1.0)]),
];

const CURRENCIES: Table = &[
    // Names that many countries share: the commonest of them, or left open.
    (&["dollar", "dólar"], &[("USD", 1.0), ("", 1.0)]),
    (&["cent", "centavo"], &[("USD", 0.01), ("EUR", 0.01), ("MXN", 0.01), ("", 0.01)]),
    (&["pound", "libra"], &[("GBP", 1.0), ("", 1.0)]),
    (&["pence", "penny", "penique"], &[("GBP", 0.01), ("USD", 0.01), ("", 0.01)]),
    (&["franc", "franco"], &[("CHF", 1.0), ("FRF", 1.0), ("", 1.0)]),
    (&["rupee"], &[("INR", 1.0), ("", 1.0)]),
    (&["dinar"], &[("KWD", 1.0), ("", 1.0)]),
    (&["rial"], &[("IRR", 1.0), ("OMR", 1.0), ("", 1.0)]),
    (&["riyal"], &[("SAR", 1.0), ("QAR", 1.0), ("", 1.0)]),
    // Left open: "42 bucks".
    (&["unnamed"], &[(ANY, 1.0)]),
    // One country's.
    (&["euro"], &[("EUR", 1.0)]),
    (&["yen", "japanese yen"], &[("JPY", 1.0)]),
    (&["chinese yuan", "yuan chino"], &[("CNY", 1.0)]),
    (&["united states dollar", "dólar estadounidense"], &[("USD", 1.0)]),
    (&["australian dollar", "dólar australiano"], &[("AUD", 1.0)]),
    (&["canadian dollar", "dólar canadiense"], &[("CAD", 1.0)]),
    (&["new zealand dollar", "dólar neozelandés"], &[("NZD", 1.0)]),
    (&["hong kong dollar", "dólar de hong kong"], &[("HKD", 1.0)]),
    (&["british pound", "libra esterlina"], &[("GBP", 1.0)]),
    (&["swiss franc", "franco suizo"], &[("CHF", 1.0)]),
    (&["mexican peso", "peso mexicano"], &[("MXN", 1.0)]),
    (&["peseta", "pts"], &[("ESP", 1.0)]),
    (&["finnish markka", "marco finlandés"], &[("FIM", 1.0)]),
    (&["bitcoin"], &[("BTC", 1.0), ("XBT", 1.0)]),
];
