//! Rows in the form of the corpus, in words of our own.

use serde_json::json;

use super::*;
use crate::score::{Selection, score};

fn row(lang: &str, model: &str, text: &str, results: &Json) -> Json {
    json!({"lang": lang, "model": model, "text": text, "ref": "2019-05-14T09:30:00", "results": results})
}

fn is_right(lang: &str, model: &str, text: &str, results: &Json) -> Option<bool> {
    let cases = [case(&row(lang, model, text, results))?];
    Some(score(&cases, &Selection::default())[0].right)
}

fn dated(words: &str, kind: &str, value: &Json) -> Json {
    json!([{"Text": words, "TypeName": format!("datetimeV2.{kind}"), "Resolution": {"values": [value]}}])
}

#[test]
fn a_day_is_a_day_and_a_moment_is_none() {
    let day = dated("tomorrow", "date", &json!({"type": "date", "value": "2019-05-15"}));
    assert_eq!(is_right("en", "DateTimeModel", "Come tomorrow", &day), Some(true));
    let moment = json!({"type": "datetime", "value": "2019-05-15 00:00:00"});
    let moment = dated("tomorrow", "datetime", &moment);
    assert_eq!(is_right("en", "DateTimeModel", "Come tomorrow", &moment), Some(false));
    let words = dated("come tomorrow", "date", &json!({"type": "date", "value": "2019-05-15"}));
    assert_eq!(is_right("en", "DateTimeModel", "Come tomorrow", &words), Some(false));
}

#[test]
fn all_results_must_be_found_each_by_a_value_of_its_own() {
    let one = json!({"Text": "7", "TypeName": "number", "Resolution": {"value": "7"}});
    let twice = json!([one, one]);
    assert_eq!(is_right("en", "NumberModel", "7 trees and 7 ponds", &twice), Some(true));
    assert_eq!(is_right("en", "NumberModel", "7 trees", &twice), Some(false));
}

#[test]
fn the_last_day_that_is_named_is_ours_and_not_theirs() {
    let value = json!({"type": "daterange", "start": "2019-06-03", "end": "2019-06-08"});
    let wanted = dated("from june 3rd to june 8th 2019", "daterange", &value);
    let text = "Away from June 3rd to June 8th 2019";
    assert_eq!(is_right("en", "DateTimeModel", text, &wanted), Some(true));
    // A month is a range without named ends: there the end is the end.
    let value = json!({"type": "daterange", "start": "2019-06-01", "end": "2019-06-30"});
    let wanted = dated("june 2019", "daterange", &value);
    assert_eq!(is_right("en", "DateTimeModel", "Away in June 2019", &wanted), Some(false));
}

#[test]
fn open_ends_of_days_may_leave_the_day_out() {
    let value = json!({"type": "daterange", "Mod": "after", "start": "2019-06-03",
        "sourceEntity": "datetimepoint"});
    let moment = |day| Some(DateTime::constant(2019, 6, day, 0, 0, 0, 0));
    let now = DateTime::constant(2019, 5, 14, 9, 30, 0, 0);
    let all = [Expected::Range(moment(3), None), Expected::Range(moment(4), None)];
    assert_eq!(times(&value, now), all);
    let value = json!({"type": "daterange", "Mod": "since", "start": "2019-06-03"});
    assert_eq!(times(&value, now), [Expected::Range(moment(3), None)]);
}

#[test]
fn times_without_a_day_are_on_this_day_or_the_next() {
    let value = json!({"type": "timerange", "start": "22:00:00", "end": "02:00:00"});
    let at = |day, hour| Some(DateTime::constant(2019, 5, day, hour, 0, 0, 0));
    let all = [Expected::Range(at(14, 22), at(15, 2)), Expected::Range(at(15, 22), at(16, 2))];
    assert_eq!(times(&value, DateTime::constant(2019, 5, 14, 9, 30, 0, 0)), all);
}

#[test]
fn numbers_are_written_as_their_language_does() {
    assert_eq!(number("1,5", "es"), Some(1.5));
    assert_eq!(number("1.5", "es-mx"), Some(1.5));
    assert_eq!(number("1.5", "en"), Some(1.5));
    assert_eq!(number("2.5E+3", "en"), Some(2500.0));
}

#[test]
fn an_age_is_a_length_of_time() {
    let years = ages(Some(4.0), "Year");
    assert!(years.contains(&Expected::Duration(4.0 * 365.0 * 86_400.0)));
    assert!(years.contains(&Expected::Quantity(Some(4.0), vec![("a".to_owned(), 1.0)])));
}

#[test]
fn rows_without_results_are_negative_and_variants_do_not_count() {
    assert_eq!(is_right("en", "NumberModel", "no such thing", &json!([])), Some(true));
    assert_eq!(is_right("en", "NumberModel", "3 such things", &json!([])), Some(false));
    assert_eq!(is_right("en", "NumberModelExperimentalMode", "3", &json!([])), None);
    assert_eq!(is_right("fr", "NumberModel", "3", &json!([])), None);
}
