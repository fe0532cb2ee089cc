//! Bounds one event in bytes: what is too large is cut, and says so, before it waits to be written.

use serde_json::Value as Json;
use waypost_core::records::event::{Event, Record, Replies};
use waypost_core::records::request::shorten;

/// How long texts, and lists and tables of values, may be in an event that is cut; the second time
/// where the first was not enough.
const CUTS: [(usize, usize); 2] = [(4_000, 64), (200, 64)];

/// Returns an event as JSON of at most `most` bytes: as it is, without what only a replay needs, with
/// long texts and lists cut, or else as one that says that it was too large. `None` if even that is.
pub(super) fn event(record: Record, most: usize) -> Option<String> {
    let fits = |record: &Record| serde_json::to_string(record).ok().filter(|it| it.len() <= most);
    if let Some(whole) = fits(&record) {
        return Some(whole);
    }
    let record = without_request(record);
    if let Some(less) = fits(&record) {
        return Some(less);
    }
    for (longest, many) in CUTS {
        // Whose event it is stays whole, so that it is found and forgotten.
        let Ok(mut value) = serde_json::to_value(&record.event) else { break };
        cut(&mut value, longest, many);
        // An event that cannot be read back is worth nothing.
        let event = serde_json::from_value(value).ok();
        let cut = event.map(|event| Record { event, ..record.clone() });
        if let Some(cut) = cut.as_ref().and_then(fits) {
            return Some(cut);
        }
    }
    let what = record.event.name().to_owned();
    let why = format!("it is larger than {most} bytes");
    fits(&Record { event: Event::Dropped { what, why }, ..record })
}

/// A decision without the request and the replies that it was made from: it cannot be made again.
fn without_request(mut record: Record) -> Record {
    if let Event::RouterEvent(routed) = &mut record.event {
        routed.request = None;
        *routed.replies = Replies::default();
    }
    record
}

/// Cuts texts, lists and tables within a value. Records are only as deep as JSON that could be read.
fn cut(value: &mut Json, longest: usize, many: usize) {
    match value {
        Json::String(text) if text.len() > longest => *text = shorten(text, longest),
        Json::Array(values) => {
            values.truncate(many);
            values.iter_mut().for_each(|value| cut(value, longest, many));
        }
        Json::Object(fields) => {
            let surplus: Vec<String> = fields.keys().skip(many).cloned().collect();
            for name in surplus {
                fields.remove(&name);
            }
            fields.values_mut().for_each(|value| cut(value, longest, many));
        }
        Json::String(_) | Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use waypost_core::records::era::Era;

    use super::*;

    const MOST: usize = 16 * 1024;

    fn record(event: Event) -> Record {
        Record {
            decision_id: "d".to_owned(),
            session_id: Some("s".to_owned()),
            pack: "p".to_owned(),
            at: "2025-11-06T08:00:00Z".to_owned(),
            era: Era::default(),
            event,
        }
    }

    fn called(arguments: Json) -> Record {
        let arguments: Map<String, Json> = serde_json::from_value(arguments).unwrap();
        record(Event::ChoiceEvent {
            tool: "t".to_owned(),
            args: arguments,
            confidence: 1.0,
            matched_by: "option".to_owned(),
            by: Default::default(),
            user_text: "the second".to_owned(),
        })
    }

    fn written(record: Record) -> Record {
        let text = event(record, MOST).unwrap();
        assert!(text.len() <= MOST, "{}", text.len());
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn an_event_that_fits_is_written_as_it_is() {
        let small = called(json!({ "n": "花".repeat(1_000) }));
        assert_eq!(written(small.clone()), small);
    }

    #[test]
    fn a_value_of_megabytes_is_cut_and_the_rest_stays() {
        let large =
            called(json!({ "n": 7, "long": "花".repeat(400_000), "list": vec![1; 90_000] }));
        let Event::ChoiceEvent { args, user_text, .. } = written(large).event else {
            panic!("it is another event")
        };
        assert_eq!((args["n"].clone(), user_text.as_str()), (json!(7), "the second"));
        assert!(args["long"].as_str().unwrap().ends_with('…'));
        assert_eq!(args["list"].as_array().unwrap().len(), 64);
    }

    #[test]
    fn what_cannot_be_cut_says_that_it_was_too_large() {
        let names: Map<String, Json> =
            (0..60).map(|n| (format!("{n}{}", "x".repeat(1_000)), json!(n))).collect();
        let dropped = written(called(Json::Object(names)));
        let why = format!("it is larger than {MOST} bytes");
        assert_eq!(dropped.event, Event::Dropped { what: "choice_event".to_owned(), why });
        let endless = Record { session_id: Some("s".repeat(3_000_000)), ..dropped };
        assert_eq!(event(endless, MOST), None);
    }
}
