//! Questions in three languages about a dozen small documents.

use super::*;

fn document(name: &str, language: Language, text: &str) -> Document {
    Document { name: name.to_owned(), language, text: text.to_owned() }
}

fn documents() -> Vec<Document> {
    use Language::{En, Es, ZhHant};
    vec![
        document(
            "tides.en",
            En,
            "# Tides\n\n## Tide tables\n\nA tide table lists the time and height of high and low water for each day at one station.\n\n## Spring tides\n\nAt new moon and full moon the range between high and low water is largest.",
        ),
        document(
            "waves.en",
            En,
            "# Waves\n\n## Significant wave height\n\nThe mean height of the highest third of the waves. Forecasts are made every six hours.\n\n## Swell\n\nLong waves that come from distant storms, and what they do to a boat.",
        ),
        document(
            "account.en",
            En,
            "# Accounts\n\n## Reset a password\n\nOpen the settings, choose *Security* and press **Reset**. A mail with a link is sent to you.\n\n## Quotas\n\nEach account may download 50 files per day.",
        ),
        document(
            "data.en",
            En,
            "# Data\n\n## Download\n\nData can be downloaded as CSV or NetCDF.\n\n```sh\ncurl -O https://example.org/data.csv\n```\n\n## Licence\n\nAll data are free to use with attribution.",
        ),
        document(
            "tides.zh",
            ZhHant,
            "# 潮汐\n\n## 潮汐表\n\n潮汐表列出測站每天滿潮與乾潮的時間和高度。\n\n## 大潮\n\n新月與滿月時潮差最大。",
        ),
        document(
            "waves.zh",
            ZhHant,
            "# 波浪\n\n## 示性波高\n\n最高的三分之一波浪的平均高度，預報每六小時更新一次。\n\n## 湧浪\n\n從遠方風暴傳來的長浪。",
        ),
        document(
            "account.zh",
            ZhHant,
            "# 帳號\n\n## 重設密碼\n\n打開設定，選擇安全性，再按重設，系統會寄出含有連結的郵件。\n\n## 額度\n\n每個帳號每天最多下載五十個檔案。",
        ),
        document(
            "data.zh",
            ZhHant,
            "# 資料\n\n## 下載\n\n資料可以下載成 CSV 或 NetCDF 格式。\n\n## 授權\n\n註明出處即可免費使用。",
        ),
        document(
            "tides.es",
            Es,
            "# Mareas\n\n## Tablas de mareas\n\nUna tabla de mareas da la hora y la altura de la pleamar y la bajamar de cada día.\n\n## Mareas vivas\n\nCon luna nueva y luna llena la amplitud es máxima.",
        ),
        document(
            "waves.es",
            Es,
            "# Olas\n\n## Altura significativa\n\nLa media del tercio más alto de las olas. La predicción se hace cada seis horas.",
        ),
        document(
            "account.es",
            Es,
            "# Cuentas\n\n## Cambiar la contraseña\n\nAbra los ajustes, elija Seguridad y pulse Restablecer. Recibirá un correo con un enlace.",
        ),
        document(
            "data.es",
            Es,
            "# Datos\n\n## Descarga\n\nLos datos se pueden descargar en CSV o NetCDF.",
        ),
    ]
}

async fn find(question: &str, language: Language) -> Vec<String> {
    let index = Bm25Index::open(documents()).await.unwrap();
    let found = index.search(question, language, 3).await.unwrap();
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
    found.into_iter().map(|p| format!("{}: {}", p.document, p.headings.join(" > "))).collect()
}

#[tokio::test]
async fn the_right_passage_comes_first() {
    use Language::{En, Es, ZhHant};
    for (question, language, first) in [
        ("How do I read a tide table?", En, "tides.en: Tides > Tide tables"),
        ("when are spring tides", En, "tides.en: Tides > Spring tides"),
        (
            "I forgot my PASSWORD, how can I reset it?",
            En,
            "account.en: Accounts > Reset a password",
        ),
        ("how many files may I download per day?", En, "account.en: Accounts > Quotas"),
        ("what is the significant wave height", En, "waves.en: Waves > Significant wave height"),
        (
            "could you explain to me what a tide table is good for before I go sailing tomorrow?",
            En,
            "tides.en: Tides > Tide tables",
        ),
        ("why do waves from storms far away reach the coast", En, "waves.en: Waves > Swell"),
        ("我想知道為什麼滿月的時候潮差比較大", ZhHant, "tides.zh: 潮汐 > 大潮"),
        ("下載檔案有沒有數量限制", ZhHant, "account.zh: 帳號 > 額度"),
        ("請問潮汐表怎麼看?", ZhHant, "tides.zh: 潮汐 > 潮汐表"),
        ("忘記密碼要如何重設", ZhHant, "account.zh: 帳號 > 重設密碼"),
        ("什麼是示性波高?", ZhHant, "waves.zh: 波浪 > 示性波高"),
        ("資料可以下載成什麼格式", ZhHant, "data.zh: 資料 > 下載"),
        ("¿Qué es una tabla de mareas?", Es, "tides.es: Mareas > Tablas de mareas"),
        ("como cambio mi contrasena", Es, "account.es: Cuentas > Cambiar la contraseña"),
        (
            "¿Cada cuánto se hace la prediccion de olas?",
            Es,
            "waves.es: Olas > Altura significativa",
        ),
    ] {
        let found = find(question, language).await;
        assert_eq!(found.first().map(String::as_str), Some(first), "{question}: {found:?}");
    }
}

#[tokio::test]
async fn a_question_about_something_else_finds_nothing() {
    use Language::{En, Es, ZhHant};
    for (question, language) in [
        ("What is the best pizza in town?", En),
        ("who won the football game last night", En),
        ("write me a poem about my cat", En),
        ("how long does it take to boil six eggs", En),
        ("book a table for two tonight", En),
        ("send a mail to my boss", En),
        ("幫我寫一封信給老闆", ZhHant),
        ("每天早上六點叫我起床", ZhHant),
        ("今天股票漲了多少", ZhHant),
        ("¿Qué hora es en Madrid?", Es),
        ("cuéntame un chiste", Es),
        ("how do I?", En),
        ("附近有什麼好吃的餐廳", ZhHant),
        ("昨天的比賽誰贏了", ZhHant),
        ("¿Dónde está el mejor restaurante de la ciudad?", Es),
        ("", En),
        ("?!", ZhHant),
    ] {
        assert_eq!(find(question, language).await, Vec::<String>::new(), "{question}");
    }
}

#[tokio::test]
async fn the_language_of_the_question_comes_first() {
    assert!(find("NetCDF CSV", Language::ZhHant).await[0].starts_with("data.zh"));
    assert!(find("NetCDF CSV", Language::Es).await[0].starts_with("data.es"));
    let others = find("NetCDF CSV", Language::Vi).await;
    assert_eq!(others.len(), 3, "{others:?}");
}

#[tokio::test]
async fn search_syntax_is_words() {
    for question in [
        "\"",
        "tide\"",
        "* OR *",
        "tide AND",
        "NOT tide",
        "headings:tide",
        "NEAR(tide, 5)",
        "tide*",
        "(((",
        "'; DROP TABLE passages; --",
        "\0tide",
        "{headings} : tide",
        "^tide",
        "+tide -low",
    ] {
        find(question, Language::En).await;
    }
    assert!(!find("tide* \" (", Language::En).await.is_empty());
    let long = "tide ".repeat(10_000) + &"x y z ".repeat(10_000);
    find(&long, Language::En).await;
}

#[tokio::test]
async fn an_index_of_nothing_finds_nothing() {
    let index = Bm25Index::open(Vec::new()).await.unwrap();
    assert!(index.is_empty());
    assert_eq!(index.search("tide", Language::En, 5).await.unwrap(), []);
    let index = Bm25Index::open(documents()).await.unwrap();
    assert_eq!(index.len(), 21);
    assert_eq!(index.search("tide", Language::En, 0).await.unwrap(), []);
    assert_eq!(index.search("tide", Language::En, 1).await.unwrap().len(), 1);
}
