//! Vietnamese units of measure, and money.

use crate::extract::grammar::term::Term;
use crate::extract::grammar::units as u;
use crate::extract::lang::Group;

pub(super) const WORDS: &[Group] = &[
    (Term::Turning, &["xoay", "quay", "góc", "nghiêng", "rẽ"]),
    (
        Term::Nearly,
        &[
            "khoảng",
            "khoảng chừng",
            "chừng",
            "tầm",
            "tầm khoảng",
            "xấp xỉ",
            "gần",
            "cỡ",
            "độ chừng",
        ],
    ),
    (Term::Measure(&u::KILOMETER), &["ki lô mét", "kilômét", "kilomet", "cây số", "ki-lô-mét"]),
    (Term::Measure(&u::METER), &["mét", "met"]),
    (Term::Measure(&u::DECIMETER), &["đề xi mét", "đêximét"]),
    (Term::Measure(&u::CENTIMETER), &["xăng ti mét", "xentimét", "xăng-ti-mét", "phân"]),
    (Term::Measure(&u::MILLIMETER), &["mi li mét", "milimét", "mi-li-mét"]),
    (Term::Measure(&u::INCH), &["inch", "inches"]),
    (Term::Measure(&u::FOOT), &["phút anh", "bộ anh"]),
    (Term::Measure(&u::MILE), &["dặm"]),
    (Term::Measure(&u::NAUTICAL_MILE), &["hải lý", "hải lí"]),
    (Term::Measure(&u::SQUARE_METER), &["mét vuông", "m vuông"]),
    (Term::Measure(&u::SQUARE_KILOMETER), &["ki lô mét vuông", "km vuông", "cây số vuông"]),
    (Term::Measure(&u::HECTARE), &["héc ta", "hecta", "héc-ta"]),
    (Term::Measure(&u::LITER), &["lít", "lit"]),
    (Term::Measure(&u::MILLILITER), &["mi li lít", "mililít", "mi-li-lít"]),
    (Term::Measure(&u::CUBIC_METER), &["mét khối", "m khối"]),
    (Term::Measure(&u::CUP), &["cốc", "ly"]),
    (Term::Measure(&u::TABLESPOON), &["muỗng canh", "thìa canh"]),
    (Term::Measure(&u::TEASPOON), &["muỗng cà phê", "thìa cà phê"]),
    (Term::Measure(&u::GALLON), &["ga lông", "galông"]),
    (Term::Measure(&u::BARREL), &["thùng dầu"]),
    (Term::Measure(&u::GRAM), &["gam", "gram"]),
    (Term::Measure(&u::KILOGRAM), &["ki lô gam", "kilôgam", "ki lô", "kí lô", "cân", "ký"]),
    (Term::Measure(&u::MILLIGRAM), &["mi li gam", "miligam"]),
    (Term::Measure(&u::TONNE), &["tấn"]),
    (Term::Measure(&u::POUND), &["cân anh"]),
    (Term::Sign(&u::DEGREE), &["độ"]),
    (Term::Sign(&u::ARC_DEGREE), &["độ"]),
    (Term::Sign(&u::CELSIUS), &["độ c", "độ celsius", "độ xê"]),
    (Term::Sign(&u::FAHRENHEIT), &["độ f", "độ fahrenheit"]),
    (Term::Sign(&u::KELVIN), &["độ k", "độ kelvin"]),
    (Term::BelowZero, &["dưới không", "dưới 0"]),
    (
        Term::Measure(&u::KILOMETER_PER_HOUR),
        &["km/giờ", "ki lô mét trên giờ", "ki lô mét một giờ", "cây số một giờ", "km một giờ"],
    ),
    (Term::Measure(&u::METER_PER_SECOND), &["mét trên giây", "m/giây", "mét một giây"]),
    (Term::Measure(&u::KNOT), &["hải lý/giờ", "hải lý một giờ"]),
    (Term::Measure(&u::YEARS_OLD), &["tuổi"]),
    (Term::Measure(&u::MONTHS_OLD), &["tháng tuổi"]),
    (Term::Measure(&u::WEEKS_OLD), &["tuần tuổi"]),
    (Term::Measure(&u::DAYS_OLD), &["ngày tuổi"]),
];

pub(super) const MONEY: &[Group] = &[
    (Term::Currency(&["VND"]), &["đồng", "việt nam đồng", "đồng việt nam"]),
    (Term::Currency(u::DOLLARS), &["đô", "đô la", "đô-la", "đôla"]),
    (Term::Currency(&["USD"]), &["đô mỹ", "đô la mỹ", "đô-la mỹ", "mỹ kim"]),
    (Term::Currency(&["AUD"]), &["đô úc", "đô la úc"]),
    (Term::Currency(&["CAD"]), &["đô la canada", "đô canada"]),
    (Term::Currency(&["HKD"]), &["đô la hồng kông"]),
    (Term::Currency(&["SGD"]), &["đô la singapore", "đô sing"]),
    (Term::Currency(&["TWD"]), &["đài tệ", "đô la đài loan"]),
    (Term::Currency(u::POUNDS), &["bảng"]),
    (Term::Currency(&["GBP"]), &["bảng anh"]),
    (Term::Currency(&["JPY"]), &["yên", "yên nhật"]),
    (Term::Currency(&["CNY"]), &["tệ", "nhân dân tệ"]),
    (Term::Currency(&["KRW"]), &["won"]),
    (Term::Currency(u::RUPEES), &["rupi", "ru-pi"]),
    (Term::Currency(&["THB"]), &["bạt", "baht"]),
    (Term::Currency(&["RUB"]), &["rúp"]),
    (Term::Coin(&u::CENT), &["xen", "xu", "cent"]),
];

pub(super) const ADDRESSES: &[Group] = &[
    (
        Term::PhoneWord,
        &["điện thoại", "số điện thoại", "sđt", "đt", "di động", "gọi số", "hotline", "số máy"],
    ),
    (Term::Extension, &["máy lẻ", "nội bộ"]),
    (Term::SpokenAt, &["a còng", "a móc"]),
    (Term::SpokenDot, &["chấm"]),
];

/// Without its accent the d of 500d is another letter.
pub(super) const ACCENTED: &[Group] = &[(Term::CurrencySign(&["VND"]), &["đ"])];
