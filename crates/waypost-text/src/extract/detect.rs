//! Guesses the language of a text from its script, its letters and its small words.
//!
//! Letters and small words are data: `letters` in the `language.txt` of a folder of words, and the files that
//! it names as `small`. A language that is not expected needs more than one that is: a short text says little.

use std::borrow::Cow;

use crate::extract::grammar::lexicon::Lexicon;
use crate::extract::grammar::token::{Shape, Token, Tokens, is_han, is_kana};
use crate::extract::lang::{TABLES, Vocabulary};
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

/// The languages that are written in Latin letters, in the order in which the last of those that are as likely
/// wins: English, where it may be, and then those whose texts were told first.
const LATIN: [Language; 7] = [
    Language::Id,
    Language::De,
    Language::Pt,
    Language::Fr,
    Language::Es,
    Language::Vi,
    Language::En,
];

/// The points of a small word that no other language has.
const ALONE: usize = 2;

/// The points of one that several have.
const SHARED: usize = 1;

/// The points from which on a language that is not expected is meant.
const LEAST: usize = 3;

/// The points that it must have more than the likeliest of those that are expected.
const AHEAD: usize = 2;

/// A guess at the language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guess {
    /// The likeliest language; `None` for a text without letters, and for one in none of them.
    pub language: Option<Language>,
    /// Set if something speaks for it, not only nothing for another; with no language, that the text
    /// surely is in another one.
    pub is_sure: bool,
}

/// The language of a text among those that may come, or `None` for a text without letters.
///
/// A short text says little: that nobody here writes Vietnamese tells more than one accent does.
/// A Latin text with two Han characters in a row is Chinese with foreign words in it; a single Han
/// character is a quotation. Han that could be either script is taken as traditional. A language that may not
/// come is told where the text is surely in it.
pub fn detect(text: &Text, among: &[Language]) -> Option<Language> {
    guess(text, among).language
}

/// The same, with whether anything speaks for it.
///
/// # Example
///
/// ```
/// use waypost_text::{extract::guess, language::Language, text::Text};
/// let among = [Language::En, Language::ZhHant];
/// let french = guess(&Text::new("Quelle est la température de la mer ?"), &among);
/// assert_eq!((french.language, french.is_sure), (Some(Language::Fr), true));
/// let name = guess(&Text::new("Tesla"), &among);
/// assert_eq!((name.language, name.is_sure), (Some(Language::En), false));
/// let russian = guess(&Text::new("какая погода завтра"), &among);
/// assert_eq!((russian.language, russian.is_sure), (None, true));
/// ```
pub fn guess(text: &Text, among: &[Language]) -> Guess {
    let source = spoken(text.normalized());
    let source = source.as_ref();
    let tokens = Tokens::new(source);
    let seen = Seen::of(&tokens);
    let sure = |language| Guess { language: Some(language), is_sure: true };
    if seen.is_japanese(source) {
        return sure(Language::Ja);
    }
    match (seen.han, seen.words) {
        (0, 0) => Guess { language: None, is_sure: false },
        (_, 0) => sure(script(source)),
        _ if seen.pair => sure(script(source)),
        _ if !source.is_ascii() && is_strange(source) => Guess { language: None, is_sure: true },
        _ => words(source, &tokens, among),
    }
}

/// The text without its paths, addresses and names of files, whose letters are of no language.
fn spoken(source: &str) -> Cow<'_, str> {
    if !source.bytes().any(|byte| b"/\\@_.".contains(&byte)) {
        return Cow::Borrowed(source);
    }
    let is_sign = |c: char| !c.is_ascii() || c.is_ascii_whitespace();
    let runs: Vec<&str> = source.split_inclusive(is_sign).collect();
    let kept = runs.iter().map(|run| {
        let own = run.trim_end_matches(is_sign);
        if is_for_machines(own) { &run[own.len()..] } else { run }
    });
    Cow::Owned(kept.collect())
}

/// Returns whether a run of ASCII is a path, an address or the name of a file.
fn is_for_machines(run: &str) -> bool {
    let is_name = |(stem, ending): (&str, &str)| {
        let is_part = |part: &str| {
            part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        is_part(stem) && is_part(ending)
    };
    let run = run.trim_end_matches(['.', ',', ':', ';', '?', '!', ')', '"', '\'']);
    run.contains(['/', '\\', '@', '_']) || run.rsplit_once('.').is_some_and(is_name)
}

/// The tokens of a text by their scripts.
#[derive(Debug, Default)]
struct Seen {
    han: usize,
    kana: usize,
    words: usize,
    /// True if two Han characters stand in a row.
    pair: bool,
}

impl Seen {
    fn of(tokens: &Tokens<'_>) -> Self {
        let mut seen = Self::default();
        let mut run = 0;
        for index in 0..tokens.len() {
            let first = tokens.text(index).chars().next();
            match tokens.get(index).map(|token| token.shape) {
                Some(_) if first.is_some_and(is_kana) => {
                    seen.kana += tokens.text(index).chars().count();
                }
                Some(Shape::Han) => {
                    seen.han += 1;
                    run += 1;
                    seen.pair |= run >= 2;
                    continue;
                }
                Some(Shape::Word) => seen.words += 1,
                _ => {}
            }
            run = 0;
        }
        seen
    }

    /// Returns whether the text is Japanese: it has kana, more than the one of a Chinese name, or characters
    /// that only Japanese writes so.
    fn is_japanese(&self, text: &str) -> bool {
        let letters = vocabulary(Language::Ja).map_or(0, |own| letters(own, text));
        match self.kana {
            0 => letters > 0,
            1 => letters > 0 || !text.chars().any(is_chinese),
            _ => true,
        }
    }
}

/// Returns whether only Chinese has a character: it is of one of its scripts alone, or one of its particles.
fn is_chinese(c: char) -> bool {
    const PARTICLES: &str = "的了是在嗎吗呢吧我你他她它這这那";
    TRADITIONAL.contains(c) != SIMPLIFIED.contains(c) || PARTICLES.contains(c)
}

/// Returns whether most letters are of a script that no language here is written in. One letter alone is a
/// sign.
fn is_strange(text: &str) -> bool {
    /// Fewer are signs: μ, Δ.
    const FEW: usize = 3;
    let foreign = |c: &char| {
        c.is_alphabetic()
            && !is_han(*c)
            && !is_kana(*c)
            && matches!(c, '\u{370}'..='\u{1dff}' | '\u{2c00}'..='\u{1ffff}')
    };
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let strange = text.chars().filter(foreign).count();
    strange >= FEW && 2 * strange > letters
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

/// The folder of words that a language is read with.
fn vocabulary(language: Language) -> Option<&'static Vocabulary> {
    TABLES.vocabularies.iter().find(|own| own.languages.contains(language))
}

/// The points that the letters of a text give to a language.
fn letters(own: &Vocabulary, text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    let count = |set: &str| text.chars().filter(|c| !c.is_ascii() && set.contains(*c)).count();
    own.letters.iter().map(|(set, points)| points * count(set)).sum()
}

/// The points of each language that is written in Latin letters: some for each of its small words, and for its
/// letters, which are rarer and never borrowed. The last is that of languages that nothing else is known of.
fn scores(text: &str, tokens: &Tokens<'_>) -> [usize; LATIN.len() + 1] {
    let words = (0..tokens.len()).filter(|at| !is_sign(tokens, *at));
    let small: Vec<_> = words.map(|at| Lexicon::small(tokens.folded(at))).collect();
    let mut scores = [0; LATIN.len() + 1];
    for (at, own) in TABLES.vocabularies.iter().enumerate() {
        let place = LATIN.iter().position(|language| own.languages.contains(*language));
        let place = place.or_else(|| own.languages.is_empty().then_some(LATIN.len()));
        if let Some(place) = place {
            let own_words = small.iter().filter(|set| **set & (1 << at) != 0);
            let points = own_words.map(|set| if set.count_ones() == 1 { ALONE } else { SHARED });
            scores[place] += points.sum::<usize>() + letters(own, text);
        }
    }
    scores
}

/// Returns whether a token is written to digits: the n of 24.0N is no word.
fn is_sign(tokens: &Tokens<'_>, at: usize) -> bool {
    let is_digits = |token: Token| token.shape == Shape::Digits;
    tokens.glued(at) && tokens.get(at - 1).is_some_and(is_digits)
}

fn words(text: &str, tokens: &Tokens<'_>, among: &[Language]) -> Guess {
    let scores = scores(text, tokens);
    let expected = |language: &Language| *language == Language::En || among.contains(language);
    let all = LATIN.into_iter().zip(scores);
    let (own, others): (Vec<_>, Vec<_>) = all.partition(|(language, _)| expected(language));
    let most = own.iter().map(|(_, score)| *score).max().unwrap_or_default();
    let unknown = scores[LATIN.len()];
    if let Some((language, score)) = others.iter().copied().max_by_key(|(_, score)| *score) {
        let is_known = || most == 0 && score > 0 && knows_all(tokens, language, among);
        let knows_more = || {
            let likeliest = own.iter().filter(|(_, score)| *score == most);
            let most = likeliest.map(|(own, _)| known(tokens, *own)).max().unwrap_or_default();
            known(tokens, language) > most
        };
        if score > unknown && (is_ahead(score, most) && knows_more() || is_known()) {
            return Guess { language: Some(language), is_sure: true };
        }
    }
    if is_ahead(unknown, most) {
        return Guess { language: None, is_sure: true };
    }
    let likeliest: Vec<Language> =
        own.into_iter().filter(|(_, score)| *score == most).map(|(own, _)| own).collect();
    let language = match likeliest[..] {
        [only] => only,
        _ => by_vocabulary(tokens, &likeliest),
    };
    Guess { language: Some(language), is_sure: most >= LEAST }
}

/// How many words of a text are among the small ones of a language, or in its tables.
fn known(tokens: &Tokens<'_>, language: Language) -> usize {
    let is_word = |at: &usize| tokens.get(*at).is_some_and(|own| own.shape == Shape::Word);
    let words = (0..tokens.len()).filter(is_word).map(|at| tokens.folded(at));
    let knows =
        |word: &&str| Lexicon::is_small(word, language) || Lexicon::knows_in(word, language);
    words.filter(knows).count()
}

/// Returns whether a language that is not expected has enough points for it, where the likeliest of the others
/// has `most`.
fn is_ahead(score: usize, most: usize) -> bool {
    score >= LEAST && score >= most + AHEAD && 2 * score >= 3 * most
}

/// Returns whether the tables of a language, or its small words, have every word of a short text, some of which no
/// language that is expected has.
fn knows_all(tokens: &Tokens<'_>, language: Language, among: &[Language]) -> bool {
    let is_word = |at: &usize| tokens.get(*at).is_some_and(|own| own.shape == Shape::Word);
    let words = || (0..tokens.len()).filter(is_word).map(|at| tokens.folded(at));
    let is_expected = |word: &str| {
        Lexicon::knows_in_common(word)
            || Lexicon::knows_in(word, Language::En)
            || among.iter().any(|language| Lexicon::knows_in(word, *language))
    };
    let is_small = |word: &str| Lexicon::is_small(word, language);
    let own = words().filter(|word| is_small(word) && !is_expected(word));
    is_all_of(tokens, language) && own.map(str::len).sum::<usize>() >= NAME
}

/// Returns whether a text, which no language could be told of, may be one of a language: that of the conversation so
/// far. Its tables know all words, which are few: "oui", "le deuxième".
pub fn may_be(text: &Text, language: Language) -> bool {
    let tokens = Tokens::new(text.normalized());
    is_all_of(&tokens, language)
}

/// Returns whether a text is short and the tables of a language, or its small words, have every word of it.
fn is_all_of(tokens: &Tokens<'_>, language: Language) -> bool {
    let is_word = |at: &usize| tokens.get(*at).is_some_and(|own| own.shape == Shape::Word);
    let mut words = (0..tokens.len()).filter(is_word).map(|at| tokens.folded(at));
    let knows = |word| Lexicon::is_small(word, language) || Lexicon::knows_in(word, language);
    tokens.len() <= SHORT && words.all(knows)
}

/// The fewest letters of small words by which a short text is told: "Dan" is a name as well.
const NAME: usize = 4;

/// Longer texts have function words.
const SHORT: usize = 12;

/// The language whose tables know the most words ("cancelar", "cai thu hai"), of those that
/// function words cannot tell apart; the last of them wins ties, which is English where it may be.
fn by_vocabulary(tokens: &Tokens<'_>, among: &[Language]) -> Language {
    let last = among.last().copied().unwrap_or(Language::En);
    if tokens.len() > SHORT {
        return last;
    }
    let known = |language: Language| {
        let knows = |index: &usize| Lexicon::knows_in(tokens.folded(*index), language);
        // The tables of a language may have digits too, which are no word of it.
        let is_word = |index: &usize| {
            let is_word = tokens.get(*index).is_some_and(|own| own.shape == Shape::Word);
            is_word && !is_sign(tokens, *index)
        };
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
            ("read sheet 1 of /data/qua_la_nam.xlsx", Some(Language::En)),
            ("show the file la_temperatura_del_mar.csv", Some(Language::En)),
            ("abre el archivo /docs/the/what_is.txt", Some(Language::Es)),
            ("/la/temperatura", None),
            ("todo.txt", None),
            ("121.5, 25", None),
            ("", None),
        ] {
            assert_eq!(detect(&Text::new(text), &Language::ALL), language, "{text}");
        }
    }

    /// The pack's users write these; texts in others are told only where they surely are.
    #[test]
    fn a_language_that_is_not_expected_is_told_where_it_is_sure() {
        use Language::{De, En, Es, Fr, Id, Ja, Pt, Vi, ZhHans, ZhHant};
        let ocean = [ZhHant, ZhHans, En, Es];
        let chinese = [En, ZhHant];
        let all = [En, Es, Vi, ZhHant, ZhHans];
        let mut wrong = Vec::new();
        for (among, text, language) in [
            (&ocean[..], "Quelle est la température de la mer à 121.7E 24.0N le 5 novembre ?", Fr),
            (&chinese, "quelle est la temperature de la mer a Keelung aujourd'hui", Fr),
            (&all, "Montre-moi les cas de paludisme au Mali l'année dernière", Fr),
            (&all, "où en sommes-nous ?", Fr),
            (&chinese, "bonjour", Fr),
            (&ocean, "merci beaucoup", Fr),
            (&ocean, "Qual é a temperatura do mar em Lisboa hoje?", Pt),
            (&chinese, "me mostra os dados de ontem por favor", Pt),
            (&all, "Quantos casos de malária houve no ano passado?", Pt),
            (&ocean, "Wie warm ist das Meer heute bei Keelung?", De),
            (&all, "Zeig mir bitte die Daten von gestern", De),
            (&chinese, "guten Morgen", De),
            (&ocean, "Berapa suhu laut di dekat Keelung hari ini?", Id),
            (&all, "tolong tampilkan data kemarin", Id),
            (&ocean, "今日の海水温は何度ですか", Ja),
            (&all, "明日の天気", Ja),
            (&chinese, "キールン 海水温", Ja),
            (&chinese, "¿Cuál es la temperatura del mar hoy?", Es),
            (&ocean, "nhiệt độ nước biển hôm nay là bao nhiêu", Vi),
            // The other way round.
            (&ocean, "What is the temperature of the sea at 121.7E 24.0N on 5 November?", En),
            (&ocean, "show me the mean SST for France on a map", En),
            (&ocean, "plan 5000 nets for the des moines area", En),
            (&all, "how many children die of malaria in Mali", En),
            (&all, "SST 121.7E 24.0N", En),
            (&chinese, "temperature data", En),
            (&all, "Tesla or Apple", En),
            (&all, "on Sunday at 10 am", En),
            (&chinese, "Lima", En),
            (&chinese, "Dan and Ada want a plan", En),
            (&ocean, "cual es la temperatura del mar para hoy", Es),
            (&ocean, "como esta el mar en la costa de Lima", Es),
            (&all, "dame los casos de malaria del mes pasado por favor", Es),
            (&ocean, "y mañana?", Es),
            (&[En, Es], "se puede anidar un startLoop dentro de otro?", Es),
            (&[En, Es], "perdona no te he entendido bien lo último", Es),
            (&all, "No, no, 4 por hogar no. Son 6. Rehazlo", Es),
            (&all, "ban do mat do nguoi o", Vi),
            (&all, "bao nhieu ca sot ret o Gia Lai thang truoc", Vi),
            (&ocean, "花蓮外海的海溫", ZhHant),
            (&ocean, "鮮の味附近的海溫", ZhHant),
        ] {
            let found = guess(&Text::new(text), among).language;
            if found != Some(language) {
                wrong.push(format!("{text}: {found:?}, not {language}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_language_that_nothing_is_known_of_is_none() {
        let among = [Language::En, Language::Es, Language::ZhHant];
        for text in [
            "Qual è la temperatura del mare oggi vicino a Keelung?",
            "Hoe warm is het water vandaag bij Keelung?",
            "Jaka jest dzisiaj temperatura morza koło Keelung?",
            "Bugün deniz sıcaklığı kaç derece?",
            "какая сегодня температура моря",
            "오늘 바다 수온은 얼마예요",
            "อุณหภูมิน้ำทะเลวันนี้เท่าไหร่",
        ] {
            let found = guess(&Text::new(text), &among);
            assert_eq!(found, Guess { language: None, is_sure: true }, "{text}");
        }
    }
}
