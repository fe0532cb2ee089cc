//! What a model replied, and which of its texts can be an example: data, of which nothing is believed unchecked.

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use waypost_core::error::{Error, Result};
use waypost_core::printable;
use waypost_core::records::request::shorten;
use waypost_text::extract::guess;
use waypost_text::language::Language;
use waypost_text::text::Text;

use super::prompt::REQUESTS;
use crate::decide::cascade::json::first_object;

/// The characters of a text: a shorter one asks for nothing, and a longer one nobody types.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=120;
/// The most of a reply's fault that is kept for logs, in characters.
const DETAIL: usize = 300;

/// A list of requests as it may come.
#[derive(Debug, Deserialize)]
struct Requests {
    requests: Vec<Json>,
}

/// The texts of a reply, at most as many as were asked for; what is no text is an empty one.
///
/// # Errors
///
/// `UNAVAILABLE` for a reply without a list.
pub(super) fn requests(text: &str) -> Result<Vec<String>> {
    let object = first_object(text).ok_or_else(|| unusable("no JSON object"))?;
    let said: Requests =
        serde_json::from_str(object).map_err(|error| unusable(&error.to_string()))?;
    let texts = said.requests.into_iter().take(REQUESTS);
    Ok(texts.map(|text| text.as_str().unwrap_or_default().to_owned()).collect())
}

/// The names that a reply gives to texts 1 to `texts`, in their order; `None` where it says nothing of one.
///
/// # Errors
///
/// `UNAVAILABLE` for a reply that says nothing of any.
pub(super) fn readings(text: &str, texts: usize) -> Result<Vec<Option<String>>> {
    let object = first_object(text).ok_or_else(|| unusable("no JSON object"))?;
    let said: Map<String, Json> =
        serde_json::from_str(object).map_err(|error| unusable(&error.to_string()))?;
    let named = |number: usize| Some(said.get(&number.to_string())?.as_str()?.trim().to_owned());
    let readings: Vec<Option<String>> = (1..=texts).map(named).collect();
    if readings.iter().all(Option::is_none) {
        return Err(unusable("no text is read"));
    }
    Ok(readings)
}

fn unusable(why: &str) -> Error {
    Error::unavailable("the model's reply was not usable").with_detail(shorten(why, DETAIL))
}

/// The text as an example; `None` for one that nobody would type, or not in this language.
pub(super) fn usable(text: &str, language: Language) -> Option<&str> {
    let text = text.trim();
    let is_usable = LENGTH.contains(&text.chars().count())
        && printable::line(text) == text
        && !has_markup(text)
        && may_be(text, language);
    is_usable.then_some(text)
}

/// Returns whether a text is written for a page or a program, or has a blank to fill in.
fn has_markup(text: &str) -> bool {
    const LEADS: [&str; 4] = ["# ", "- ", "* ", "> "];
    let begins_tag = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || c == '/');
    let has_tag = text.split('<').skip(1).any(begins_tag);
    has_tag
        || text.contains(['`', '{', '}', '[', ']'])
        || text.contains("**")
        || LEADS.iter().any(|lead| text.starts_with(lead))
}

/// Returns whether a text may be of a language: nothing surely speaks for another.
fn may_be(text: &str, language: Language) -> bool {
    let guess = guess(&Text::new(text), &[language]);
    // Han that could be of either script is taken as traditional.
    let is_either = guess.language == Some(Language::ZhHant) && language == Language::ZhHans;
    !guess.is_sure || guess.language == Some(language) || is_either
}

/// The text by which two are the same.
pub(super) fn key(text: &str) -> String {
    let end = |c: char| c.is_whitespace() || matches!(c, '.' | '?' | '!' | '。' | '？' | '！');
    text.trim().trim_end_matches(end).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, language: Language, is_usable: bool) {
        assert_eq!(usable(text, language).is_some(), is_usable, "{text:?}");
    }

    #[test]
    fn a_text_is_a_short_line_as_people_type_it() {
        let longest = "a".repeat(120);
        let plain =
            [" show the log of main ", "which files are < 5 MB?", "log", "résumé.txt", &longest];
        plain.into_iter().for_each(|text| check(text, Language::En, true));
        assert_eq!(usable(" show the log ", Language::En), Some("show the log"));
        for odd in [
            "",
            "ab",
            "show\nthe log",
            "show\tthe log",
            "show \u{1b}[2J the log",
            "show \u{202e}the log",
            "show <b>the log</b>",
            "show the log of [repository]",
            "show {branch}",
            "run `git log`",
            "**show** the log",
            "- show the log",
            &"a".repeat(121),
        ] {
            check(odd, Language::En, false);
        }
    }

    #[test]
    fn a_text_is_in_the_language_that_was_asked_for_as_far_as_it_says() {
        check("顯示提交紀錄", Language::ZhHant, true);
        check("显示提交记录", Language::ZhHans, true);
        check("查看提交", Language::ZhHans, true);
        check("顯示 main 的提交", Language::ZhHant, true);
        check("git log", Language::ZhHant, true);
        check("请显示昨天的预报", Language::ZhHant, false);
        check("顯示提交紀錄", Language::En, false);
        check("can you show me what was done in the last week?", Language::ZhHant, false);
        check("¿qué se hizo en el último mes?", Language::Es, true);
        check("¿qué se hizo en el último mes?", Language::En, false);
        check("какая погода завтра", Language::En, false);
    }

    #[test]
    fn a_reply_is_read_between_prose_and_within_its_bounds() {
        let said = requests("Sure: {\"requests\": [\"a b\", 7, \"c\"]} Done.").unwrap();
        assert_eq!(said, ["a b", "", "c"]);
        let many = serde_json::json!({ "requests": vec!["show it"; 1000] }).to_string();
        assert_eq!(requests(&many).unwrap().len(), REQUESTS);
        for nonsense in ["", "no", "[\"a\"]", "{\"requests\": \"a\"}", "{\"requests\": [\"a\""] {
            let error = requests(nonsense).unwrap_err();
            assert_eq!(error.message(), "the model's reply was not usable", "{nonsense}");
        }
    }

    #[test]
    fn a_reading_belongs_to_its_number() {
        let named = readings(r#"{"2": " git_log ", "1": "x", "3": 7, "9": "y"}"#, 4).unwrap();
        assert_eq!(named, [Some("x".to_owned()), Some("git_log".to_owned()), None, None]);
        for nonsense in ["", "{}", r#"{"5": "x"}"#, r#"{"1": ["x"]}"#] {
            assert!(readings(nonsense, 2).is_err(), "{nonsense}");
        }
    }

    #[test]
    fn texts_are_the_same_whatever_their_case_and_end() {
        assert_eq!(key("Show the log?"), key(" show the log"));
        assert_eq!(key("查看提交？"), key("查看提交"));
        assert_ne!(key("show the log"), key("show the logs"));
    }
}
