//! Shows what is taken out, and what is not.

use proptest::prelude::*;

use super::redact;

#[test]
fn personal_numbers_are_taken_out_in_every_language() {
    for (text, wanted) in [
        ("mail ana.lopez+x@mail.example.org now", "mail ‹email› now"),
        ("寄到wang@example.com謝謝", "寄到‹email›謝謝"),
        ("寄到ｗａｎｇ＠ｅｘａｍｐｌｅ．ｃｏｍ", "寄到‹email›"),
        ("he wrote \"a@b.co\", twice", "he wrote \"‹email›\", twice"),
        ("escribe a josé@correo.es.", "escribe a ‹email›."),
        ("gọi +84 90 123 4567 nhé", "gọi ‹phone› nhé"),
        ("call (415) 555-2671 today", "call ‹phone› today"),
        ("打0912345678給我", "打‹phone›給我"),
        ("打０９１２３４５６７８給我", "打‹phone›給我"),
        ("手机13800138000", "手机‹phone›"),
        ("my number is \"+34 612 345 678\"", "my number is \"‹phone›\""),
        ("card 4111 1111 1111 1111 exp 12/27", "card ‹card› exp 12/27"),
        ("card 4111-1111-1111-1111.", "card ‹card›."),
        ("信用卡4111111111111111", "信用卡‹card›"),
        ("amex 3782 822463 10005", "amex ‹card›"),
        ("IBAN GB82 WEST 1234 5698 7654 32 please", "IBAN ‹iban› please"),
        ("cuenta ES9121000418450200051332", "cuenta ‹iban›"),
        ("from 192.168.10.254:8080, 10.0.0.1.", "from ‹ip›:8080, ‹ip›."),
        ("at 2001:db8::8a2e:370:7334 and fe80::1%eth0", "at ‹ip› and ‹ip›%eth0"),
        ("身分證A123456789", "身分證‹id›"),
        ("DNI 12345678Z", "DNI ‹id›"),
        ("CMND 212345678", "CMND ‹id›"),
        ("CCCD 001099012345", "CCCD ‹phone›"),
        ("身份证11010519491231002X", "身份证‹id›"),
        ("SSN 123-45-6789", "SSN ‹id›"),
        ("order 98765432101,12345678909", "order ‹id›,‹id›"),
    ] {
        assert_eq!(redact(text), wanted, "{text}");
    }
}

#[test]
fn what_a_question_is_about_survives() {
    for text in [
        "SST at 25.0330,121.5654 on 2025-11-06",
        "121.565418273,25.033964712",
        "25°02'N 121°33'E",
        "118.0, 20.0, 123.5, 26.5",
        "20251106",
        "from 2025-11-01 to 2025-11-06",
        "2025-11-06 2025-11-07",
        "06.11.2025 - 08.11.2025",
        "2025/11/06 08:30:00",
        "2025-11-06T09:00:00+08:00",
        "1990-2020, 1990 2000 2010",
        "1,234,567,890 nets",
        "1.234.567.890 mosquiteros",
        "1500000000 people",
        "US$ 1234567890 and 1234567891 TWD",
        "1234567890.55 or 1234567890,55",
        "€123456789",
        "75000 nets for 1 200 000 children",
        "人口1,400,000,000，預算123456789元",
        "十一月六日下午三點二十分",
        "gpt-4o v1.2.3 port 8080 RFC 3339 B2B 5G",
        "what is fn main() -> u64 { 0xdead }",
        "commit 3f2a9c81d4e5b6a7",
        "user@host and @everyone: a@b",
        "std::fs::read, ratio 16:9, 10:30:15",
        "1,2,3,4,5,6,7,8,9,10",
        "3 5 7 11 13 17 19 23 29",
        "",
    ] {
        assert_eq!(redact(text), text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    /// Any text is redacted, once is enough, and what is told by its own form is gone, wherever it
    /// stands.
    #[test]
    fn any_text_is_redacted_once(
        before in "(\\PC|[0-9@.:, -]){0,24}",
        told in 0..4_usize,
        after in "( \\PC{0,12})?",
    ) {
        let told = ["ana@example.org", "4111111111111111", "GB82WEST12345698765432", "A123456789"][told];
        let text = format!("{before} \n{told}{after}");
        let once = redact(&text).into_owned();
        prop_assert!(!once.contains(told), "{once}");
        prop_assert_eq!(redact(&once).into_owned(), once);
    }
}
