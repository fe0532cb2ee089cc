//! Guesses the language of a text from its script, its accents and its small words.

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::token::{Shape, Tokens, is_han};
use crate::language::Language;
use crate::text::Text;

/// Common characters that only traditional writing has.
const TRADITIONAL: &str = "國個們來對時會說點還這裡圖溫區東經緯測資預報過後麼為與從間問題開關線單雙長門無電車氣風\
    潮灣離邊遠運動號樣機構觀察產業務員類標準變數據網絡級約紅綠藍黃黑銀錢買賣價漲貴東車馬鳥魚龍龜齊齒爾歲壓應當體質學\
    實驗給統計畫質險險預測請讓謝麗嗎幾條場處備歷舊鄉鎮縣島嶼滿濕熱濟灘層樓幫換聽見現視覺覽親觸詞語談論識護負責費資訊貨";

/// Common characters that only simplified writing has.
const SIMPLIFIED: &str = "国个们来对时会说点还这图温区东经纬测资预报过么为与从间问题开关线单双长门无电车气风\
    湾离边远运动号样机构观产业务员类标准变数据网络级约红绿蓝银钱买卖价涨贵马鸟鱼龙龟齐齿尔岁压应当体质学\
    实验给统计画险请让谢丽吗几条场处备历旧乡镇县岛屿满湿热济滩层楼帮换听见现视觉览亲触词语谈论识护负责费讯货";

/// Letters that Vietnamese has and Spanish has not.
const VIETNAMESE: &str = "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹàèìòùãõĩũ";

/// Letters that Spanish has and Vietnamese has not.
const SPANISH: &str = "ñ¿¡ü";

/// Small words, without accents, that hardly stand in another of the languages.
const FUNCTION_WORDS: [(Language, &[&str]); 3] = [
    (
        Language::Es,
        &[
            "el",
            "la",
            "la",
            "los",
            "las",
            "del",
            "de",
            "en",
            "que",
            "cual",
            "como",
            "cuanto",
            "cuando",
            "donde",
            "para",
            "por",
            "con",
            "una",
            "es",
            "esta",
            "hoy",
            "ayer",
            "manana",
            "cerca",
            "dame",
            "quiero",
            "muestrame",
            "temperatura",
            "mar",
            "hace",
            "ultimos",
            "semana",
            "pasada",
            "y",
            "entre",
            "desde",
            "hasta",
            "gracias",
            "hola",
            "lunes",
            "martes",
            "precio",
        ],
    ),
    (
        Language::Vi,
        &[
            "cua", "khong", "cho", "toi", "la", "gia", "bao", "nhieu", "hom", "nay", "qua", "ngay",
            "thang", "tuan", "co", "phieu", "nhiet", "nuoc", "bien", "trong", "nhung", "duoc",
            "voi", "nhu", "the", "nao", "gi", "va",
        ],
    ),
    (
        Language::En,
        &[
            "the",
            "is",
            "are",
            "what",
            "how",
            "of",
            "in",
            "at",
            "for",
            "and",
            "to",
            "show",
            "me",
            "give",
            "please",
            "near",
            "today",
            "yesterday",
            "on",
            "from",
            "with",
            "it",
            "a",
            "last",
            "week",
            "price",
            "about",
        ],
    ),
];

/// The language of a text among those that may come, or `None` for a text without letters.
///
/// A short text says little: that nobody here writes Vietnamese tells more than one accent does.
/// A Latin text with two Han characters in a row is Chinese with foreign words in it; a single Han
/// character is a quotation. Han that could be either script is taken as traditional.
pub fn detect(text: &Text, among: &[Language]) -> Option<Language> {
    let tokens = Tokens::new(text.normalized());
    let mut han = 0;
    let mut run = 0;
    let mut pair = false;
    let mut latin = 0;
    for index in 0..tokens.len() {
        match tokens.get(index)?.shape {
            Shape::Han => {
                han += 1;
                run += 1;
                pair |= run >= 2;
            }
            Shape::Word => {
                latin += 1;
                run = 0;
            }
            _ => run = 0,
        }
    }
    match (han, latin) {
        (0, 0) => None,
        (_, 0) => Some(script(text.normalized())),
        _ if pair => Some(script(text.normalized())),
        _ => Some(words(text.normalized(), &tokens, among)),
    }
}

fn script(text: &str) -> Language {
    let mut balance = 0_i64;
    for c in text.chars().filter(|c| is_han(*c)) {
        match (TRADITIONAL.contains(c), SIMPLIFIED.contains(c)) {
            (true, false) => balance -= 1,
            (false, true) => balance += 1,
            _ => {}
        }
    }
    if balance > 0 { Language::ZhHans } else { Language::ZhHant }
}

/// Letters with accents count more than words: they are rarer and never borrowed.
fn words(text: &str, tokens: &Tokens<'_>, among: &[Language]) -> Language {
    let letters = |set: &str| text.chars().filter(|c| !c.is_ascii() && set.contains(*c)).count();
    let mut scores = vec![
        (Language::Es, 3 * letters(SPANISH) + letters("áéíóú")),
        (Language::Vi, 2 * letters(VIETNAMESE) + letters("áéíóúý")),
        (Language::En, 0),
    ];
    for index in 0..tokens.len() {
        for ((_, score), (_, words)) in scores.iter_mut().zip(FUNCTION_WORDS) {
            *score += usize::from(words.contains(&tokens.folded(index)));
        }
    }
    scores.retain(|(language, _)| *language == Language::En || among.contains(language));
    let most = scores.iter().map(|(_, score)| *score).max().unwrap_or_default();
    let likeliest = scores.into_iter().filter(|(_, score)| *score == most);
    let likeliest: Vec<Language> = likeliest.map(|(language, _)| language).collect();
    match likeliest[..] {
        [only] => only,
        _ => by_vocabulary(tokens, &likeliest),
    }
}

/// The language whose tables know the most words ("cancelar", "cai thu hai"), of those that
/// function words cannot tell apart; the last of them wins ties, which is English where it may be.
fn by_vocabulary(tokens: &Tokens<'_>, among: &[Language]) -> Language {
    /// Longer texts have function words.
    const SHORT: usize = 12;
    let last = among.last().copied().unwrap_or(Language::En);
    if tokens.len() > SHORT {
        return last;
    }
    let known = |language: Language| {
        let knows = |index: &usize| Lexicon::knows_in(tokens.folded(*index), language);
        // The tables of a language may have digits too, which are no word of it.
        let is_word =
            |index: &usize| tokens.get(*index).is_some_and(|own| own.shape == Shape::Word);
        (0..tokens.len()).filter(is_word).filter(knows).count()
    };
    let best = among.iter().map(|language| (known(*language), *language));
    best.max_by_key(|(known, _)| *known).map_or(last, |(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        for (text, language) in [
            ("今天海溫多少", Some(Language::ZhHant)),
            ("昨天海温多少", Some(Language::ZhHans)),
            ("明天呢", Some(Language::ZhHant)),
            ("What is the SST near Hualien?", Some(Language::En)),
            ("temperatura del mar hoy cerca de Lima", Some(Language::Es)),
            ("¿y mañana?", Some(Language::Es)),
            ("giá cổ phiếu hôm nay", Some(Language::Vi)),
            ("gia co phieu hom nay", Some(Language::Vi)),
            ("AAPL 股價 yesterday", Some(Language::ZhHant)),
            ("SST in 海 yesterday", Some(Language::En)),
            ("Tesla", Some(Language::En)),
            ("la segunda", Some(Language::Es)),
            ("cancelar", Some(Language::Es)),
            ("la número 3", Some(Language::Es)),
            ("opción 1", Some(Language::Es)),
            ("5 metros", Some(Language::Es)),
            ("planifica 50.000 mosquiteros", Some(Language::Es)),
            ("cai thu hai", Some(Language::Vi)),
            ("quay lai", Some(Language::Vi)),
            ("cancel", Some(Language::En)),
            ("map rainfall", Some(Language::En)),
            ("121.5, 25", None),
            ("", None),
        ] {
            assert_eq!(detect(&Text::new(text), &Language::ALL), language, "{text}");
        }
    }
}
