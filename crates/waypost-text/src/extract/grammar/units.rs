//! Units of measure and currencies: what the tables of all languages point to.

/// A unit of measure.
#[derive(Debug, PartialEq)]
pub(crate) struct Measure {
    /// Its code in UCUM; a curly one where UCUM has none.
    pub(crate) code: &'static str,
    pub(crate) dimension: &'static str,
    /// How many of the first unit of its dimension it is; 0 where sums make no sense.
    pub(crate) factor: f64,
}

/// A part of a currency's unit that has a name of its own.
#[derive(Debug, PartialEq)]
pub(crate) struct Coin {
    /// How many of the currency's unit it is.
    pub(crate) worth: f64,
    /// The currencies that have it, the likeliest first.
    pub(crate) codes: &'static [&'static str],
}

const fn measure(code: &'static str, dimension: &'static str, factor: f64) -> Measure {
    Measure { code, dimension, factor }
}

const LENGTH: &str = "length";
pub(crate) const METER: Measure = measure("m", LENGTH, 1.0);
pub(crate) const KILOMETER: Measure = measure("km", LENGTH, 1e3);
pub(crate) const HECTOMETER: Measure = measure("hm", LENGTH, 1e2);
pub(crate) const DECAMETER: Measure = measure("dam", LENGTH, 1e1);
pub(crate) const DECIMETER: Measure = measure("dm", LENGTH, 1e-1);
pub(crate) const CENTIMETER: Measure = measure("cm", LENGTH, 1e-2);
pub(crate) const MILLIMETER: Measure = measure("mm", LENGTH, 1e-3);
pub(crate) const MICROMETER: Measure = measure("um", LENGTH, 1e-6);
pub(crate) const NANOMETER: Measure = measure("nm", LENGTH, 1e-9);
pub(crate) const PICOMETER: Measure = measure("pm", LENGTH, 1e-12);
pub(crate) const INCH: Measure = measure("[in_i]", LENGTH, 0.0254);
pub(crate) const FOOT: Measure = measure("[ft_i]", LENGTH, 0.3048);
pub(crate) const YARD: Measure = measure("[yd_i]", LENGTH, 0.9144);
pub(crate) const MILE: Measure = measure("[mi_i]", LENGTH, 1609.344);
pub(crate) const NAUTICAL_MILE: Measure = measure("[nmi_i]", LENGTH, 1852.0);
pub(crate) const LIGHT_YEAR: Measure = measure("[ly]", LENGTH, 9.460_730_472_580_8e15);
/// 里, 尺, 寸: the Chinese mile, foot and inch.
pub(crate) const LI: Measure = measure("{li}", LENGTH, 500.0);
pub(crate) const CHI: Measure = measure("{chi}", LENGTH, 1.0 / 3.0);
pub(crate) const CUN: Measure = measure("{cun}", LENGTH, 1.0 / 30.0);

const AREA: &str = "area";
pub(crate) const SQUARE_METER: Measure = measure("m2", AREA, 1.0);
pub(crate) const SQUARE_KILOMETER: Measure = measure("km2", AREA, 1e6);
pub(crate) const SQUARE_CENTIMETER: Measure = measure("cm2", AREA, 1e-4);
pub(crate) const SQUARE_MILLIMETER: Measure = measure("mm2", AREA, 1e-6);
pub(crate) const HECTARE: Measure = measure("har", AREA, 1e4);
pub(crate) const ACRE: Measure = measure("[acr_us]", AREA, 4_046.872_609_874_252);
pub(crate) const SQUARE_INCH: Measure = measure("[sin_i]", AREA, 0.000_645_16);
pub(crate) const SQUARE_FOOT: Measure = measure("[sft_i]", AREA, 0.092_903_04);
pub(crate) const SQUARE_YARD: Measure = measure("[syd_i]", AREA, 0.836_127_36);
pub(crate) const SQUARE_MILE: Measure = measure("[smi_us]", AREA, 2_589_988.110_336);
/// 畝
pub(crate) const MU: Measure = measure("{mu}", AREA, 2000.0 / 3.0);
/// 坪
pub(crate) const PING: Measure = measure("{ping}", AREA, 400.0 / 121.0);

const VOLUME: &str = "volume";
pub(crate) const LITER: Measure = measure("L", VOLUME, 1.0);
pub(crate) const HECTOLITER: Measure = measure("hL", VOLUME, 1e2);
pub(crate) const DECILITER: Measure = measure("dL", VOLUME, 1e-1);
pub(crate) const CENTILITER: Measure = measure("cL", VOLUME, 1e-2);
pub(crate) const MILLILITER: Measure = measure("mL", VOLUME, 1e-3);
pub(crate) const CUBIC_METER: Measure = measure("m3", VOLUME, 1e3);
pub(crate) const CUBIC_KILOMETER: Measure = measure("km3", VOLUME, 1e12);
pub(crate) const CUBIC_CENTIMETER: Measure = measure("cm3", VOLUME, 1e-3);
pub(crate) const CUBIC_FOOT: Measure = measure("[cft_i]", VOLUME, 28.316_846_592);
pub(crate) const CUBIC_INCH: Measure = measure("[cin_i]", VOLUME, 0.016_387_064);
pub(crate) const CUBIC_YARD: Measure = measure("[cyd_i]", VOLUME, 764.554_857_984);
pub(crate) const CUBIC_MILE: Measure = measure("[cmi_i]", VOLUME, 4.168_181_825_440_58e12);
pub(crate) const GALLON: Measure = measure("[gal_us]", VOLUME, 3.785_411_784);
pub(crate) const QUART: Measure = measure("[qt_us]", VOLUME, 0.946_352_946);
pub(crate) const PINT: Measure = measure("[pt_us]", VOLUME, 0.473_176_473);
pub(crate) const CUP: Measure = measure("[cup_us]", VOLUME, 0.236_588_236_5);
pub(crate) const FLUID_OUNCE: Measure = measure("[foz_us]", VOLUME, 0.029_573_529_562_5);
pub(crate) const TABLESPOON: Measure = measure("[tbs_us]", VOLUME, 0.014_786_764_781_25);
pub(crate) const TEASPOON: Measure = measure("[tsp_us]", VOLUME, 0.004_928_921_593_75);
pub(crate) const BARREL: Measure = measure("[bbl_us]", VOLUME, 158.987_294_928);

const MASS: &str = "mass";
pub(crate) const GRAM: Measure = measure("g", MASS, 1.0);
pub(crate) const KILOGRAM: Measure = measure("kg", MASS, 1e3);
pub(crate) const MILLIGRAM: Measure = measure("mg", MASS, 1e-3);
pub(crate) const MICROGRAM: Measure = measure("ug", MASS, 1e-6);
pub(crate) const TONNE: Measure = measure("t", MASS, 1e6);
pub(crate) const SHORT_TON: Measure = measure("[ston_av]", MASS, 907_184.74);
pub(crate) const POUND: Measure = measure("[lb_av]", MASS, 453.592_37);
pub(crate) const OUNCE: Measure = measure("[oz_av]", MASS, 28.349_523_125);
pub(crate) const STONE: Measure = measure("[stone_av]", MASS, 6_350.293_18);
pub(crate) const DRAM: Measure = measure("[dr_av]", MASS, 1.771_845_195_312_5);
pub(crate) const CARAT: Measure = measure("[car_m]", MASS, 0.2);
/// 斤, 兩
pub(crate) const JIN: Measure = measure("{jin}", MASS, 500.0);
pub(crate) const LIANG: Measure = measure("{liang}", MASS, 50.0);

const TEMPERATURE: &str = "temperature";
pub(crate) const CELSIUS: Measure = measure("Cel", TEMPERATURE, 0.0);
pub(crate) const FAHRENHEIT: Measure = measure("[degF]", TEMPERATURE, 0.0);
pub(crate) const KELVIN: Measure = measure("K", TEMPERATURE, 0.0);
/// Degrees of no scale that the words say.
pub(crate) const DEGREE: Measure = measure("deg", TEMPERATURE, 0.0);

const ANGLE: &str = "angle";
pub(crate) const ARC_DEGREE: Measure = measure("deg", ANGLE, 0.0);
pub(crate) const RADIAN: Measure = measure("rad", ANGLE, 0.0);
pub(crate) const TURN: Measure = measure("circ", ANGLE, 0.0);

const SPEED: &str = "speed";
pub(crate) const KILOMETER_PER_HOUR: Measure = measure("km/h", SPEED, 0.0);
pub(crate) const METER_PER_SECOND: Measure = measure("m/s", SPEED, 0.0);
pub(crate) const KILOMETER_PER_SECOND: Measure = measure("km/s", SPEED, 0.0);
pub(crate) const CENTIMETER_PER_SECOND: Measure = measure("cm/s", SPEED, 0.0);
pub(crate) const METER_PER_MINUTE: Measure = measure("m/min", SPEED, 0.0);
pub(crate) const KILOMETER_PER_MINUTE: Measure = measure("km/min", SPEED, 0.0);
pub(crate) const METER_PER_MILLISECOND: Measure = measure("m/ms", SPEED, 0.0);
pub(crate) const CENTIMETER_PER_MILLISECOND: Measure = measure("cm/ms", SPEED, 0.0);
pub(crate) const KILOMETER_PER_MILLISECOND: Measure = measure("km/ms", SPEED, 0.0);
pub(crate) const MILE_PER_HOUR: Measure = measure("[mi_i]/h", SPEED, 0.0);
pub(crate) const FOOT_PER_SECOND: Measure = measure("[ft_i]/s", SPEED, 0.0);
pub(crate) const KNOT: Measure = measure("[kn_i]", SPEED, 0.0);

const INFORMATION: &str = "information";
pub(crate) const BIT: Measure = measure("bit", INFORMATION, 1.0);
pub(crate) const KILOBIT: Measure = measure("kbit", INFORMATION, 1e3);
pub(crate) const MEGABIT: Measure = measure("Mbit", INFORMATION, 1e6);
pub(crate) const GIGABIT: Measure = measure("Gbit", INFORMATION, 1e9);
pub(crate) const TERABIT: Measure = measure("Tbit", INFORMATION, 1e12);
pub(crate) const BYTE: Measure = measure("By", INFORMATION, 8.0);
pub(crate) const KILOBYTE: Measure = measure("kBy", INFORMATION, 8e3);
pub(crate) const MEGABYTE: Measure = measure("MBy", INFORMATION, 8e6);
pub(crate) const GIGABYTE: Measure = measure("GBy", INFORMATION, 8e9);
pub(crate) const TERABYTE: Measure = measure("TBy", INFORMATION, 8e12);
pub(crate) const PETABYTE: Measure = measure("PBy", INFORMATION, 8e15);

pub(crate) const HERTZ: Measure = measure("Hz", "frequency", 0.0);
pub(crate) const KILOHERTZ: Measure = measure("kHz", "frequency", 0.0);
pub(crate) const MEGAHERTZ: Measure = measure("MHz", "frequency", 0.0);
pub(crate) const GIGAHERTZ: Measure = measure("GHz", "frequency", 0.0);
pub(crate) const WATT: Measure = measure("W", "power", 0.0);
pub(crate) const KILOWATT: Measure = measure("kW", "power", 0.0);
pub(crate) const MEGAWATT: Measure = measure("MW", "power", 0.0);
pub(crate) const GIGAWATT: Measure = measure("GW", "power", 0.0);
pub(crate) const HORSEPOWER: Measure = measure("[HP]", "power", 0.0);
pub(crate) const JOULE: Measure = measure("J", "energy", 0.0);
pub(crate) const KILOJOULE: Measure = measure("kJ", "energy", 0.0);
pub(crate) const CALORIE: Measure = measure("cal", "energy", 0.0);
pub(crate) const KILOCALORIE: Measure = measure("kcal", "energy", 0.0);
pub(crate) const KILOWATT_HOUR: Measure = measure("kW.h", "energy", 0.0);
pub(crate) const PASCAL: Measure = measure("Pa", "pressure", 0.0);
pub(crate) const HECTOPASCAL: Measure = measure("hPa", "pressure", 0.0);
pub(crate) const KILOPASCAL: Measure = measure("kPa", "pressure", 0.0);
pub(crate) const MEGAPASCAL: Measure = measure("MPa", "pressure", 0.0);
pub(crate) const BAR: Measure = measure("bar", "pressure", 0.0);
pub(crate) const MILLIBAR: Measure = measure("mbar", "pressure", 0.0);
pub(crate) const ATMOSPHERE: Measure = measure("atm", "pressure", 0.0);
pub(crate) const PSI: Measure = measure("[psi]", "pressure", 0.0);
pub(crate) const VOLT: Measure = measure("V", "voltage", 0.0);
pub(crate) const AMPERE: Measure = measure("A", "current", 0.0);

const AGE: &str = "age";
pub(crate) const YEARS_OLD: Measure = measure("a", AGE, 365.25);
pub(crate) const MONTHS_OLD: Measure = measure("mo", AGE, 30.4375);
pub(crate) const WEEKS_OLD: Measure = measure("wk", AGE, 7.0);
pub(crate) const DAYS_OLD: Measure = measure("d", AGE, 1.0);

/// Currencies that share a sign or a word, the likeliest first.
pub(crate) const DOLLARS: &[&str] =
    &["USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "BZD", "JMD", "TTD"];
/// bucks: as often of no country at all.
pub(crate) const BUCKS: &[&str] = &["USD", "CAD", "AUD", "NZD", ""];
pub(crate) const POUNDS: &[&str] = &["GBP", "EGP", "LBP", "SYP", "SDG"];
pub(crate) const YEN_OR_YUAN: &[&str] = &["JPY", "CNY"];
pub(crate) const YUAN: &[&str] = &["CNY", "TWD", "HKD", "USD"];
pub(crate) const PESOS: &[&str] = &["MXN", "ARS", "COP", "CLP", "PHP", "UYU", "DOP", "CUP"];
pub(crate) const FRANCS: &[&str] = &["CHF", "FRF", "XOF", "XAF", "BEF"];
pub(crate) const KRONOR: &[&str] = &["SEK", "NOK", "DKK", "ISK"];
pub(crate) const RUPEES: &[&str] = &["INR", "PKR", "LKR", "NPR", "IDR"];
pub(crate) const DINARS: &[&str] = &["KWD", "JOD", "IQD", "BHD", "DZD", "TND", "RSD", "LYD"];
pub(crate) const RIYALS: &[&str] = &["SAR", "QAR", "YER"];
pub(crate) const RIALS: &[&str] = &["IRR", "OMR", "YER"];
pub(crate) const MARKS: &[&str] = &["DEM", "FIM"];
pub(crate) const REALS: &[&str] = &["BRL"];
pub(crate) const LIRAS: &[&str] = &["TRY", "ITL"];
pub(crate) const CROWNS: &[&str] = &["SEK", "NOK", "DKK", "CZK", "ISK"];

const CENTS: &[&str] = &["USD", "EUR", "CAD", "AUD", "NZD", "HKD", "SGD", "MYR", "ZAR"];
pub(crate) const CENT: Coin = Coin { worth: 0.01, codes: CENTS };
pub(crate) const PENNY: Coin = Coin { worth: 0.01, codes: &["GBP", "USD"] };
pub(crate) const PENCE: Coin = Coin { worth: 0.01, codes: &["GBP"] };
pub(crate) const CENTAVO: Coin = Coin { worth: 0.01, codes: &["USD", "MXN", "ARS", "COP", "BRL"] };
pub(crate) const EURO_CENT: Coin = Coin { worth: 0.01, codes: &["EUR"] };
pub(crate) const NICKEL: Coin = Coin { worth: 0.05, codes: DOLLARS };
pub(crate) const DIME: Coin = Coin { worth: 0.1, codes: DOLLARS };
pub(crate) const SEN: Coin = Coin { worth: 0.01, codes: &["MYR", "JPY", "IDR"] };
pub(crate) const KOPECK: Coin = Coin { worth: 0.01, codes: &["RUB", "UAH"] };
pub(crate) const PAISA: Coin = Coin { worth: 0.01, codes: &["INR", "PKR"] };
/// 角, 毛
pub(crate) const JIAO: Coin = Coin { worth: 0.1, codes: YUAN };
/// 分: money only behind more money.
pub(crate) const FEN: Coin = Coin { worth: 0.01, codes: YUAN };
pub(crate) const US_CENT: Coin = Coin { worth: 0.01, codes: &["USD"] };
/// grand: a coin in reverse.
pub(crate) const GRAND: Coin = Coin { worth: 1000.0, codes: GRANDS };
const GRANDS: &[&str] = &["USD", "GBP", "AUD", "CAD", "NZD", "BZD", "JMD", "TTD"];
