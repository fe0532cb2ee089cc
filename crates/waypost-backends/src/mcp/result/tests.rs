//! Results of tools as servers send them, and what is read from them.

use serde_json::json;

use super::*;

fn result(answer: Value) -> ToolResult {
    read("t", answer).unwrap()
}

fn text(words: &str) -> Content {
    Content::Text(Text { kept: words.to_owned(), left_out: 0 })
}

fn answer(images: &[Value]) -> Images {
    let result = result(json!({"content": images, "structuredContent": {"n": 1}}));
    assert_eq!(result.value, json!({"n": 1}));
    result.images
}

fn picture(mime: &str, title: &Value) -> Value {
    json!({"type": "image", "mimeType": mime, "data": "QUJD", "_meta": {"title": title}})
}

#[test]
fn pictures_come_with_a_title_for_one_line() {
    let long = "x".repeat(1000);
    let images = answer(&[
        picture("IMAGE/svg+xml", &json!("Risk\n\u{1b}[31mmap")),
        picture("image/png", &json!(7)),
        picture("image/png", &json!(long)),
        json!({"type": "text", "text": "between"}),
        json!({"type": "image", "mimeType": "image/png", "data": ""}),
    ]);
    let kept: Vec<_> = images.kept().iter().map(|image| image.title.as_str()).collect();
    assert_eq!(kept, ["Risk  [31mmap", "", &long[..MAX_TITLE], ""]);
    assert_eq!((images.kept()[0].mime.as_str(), images.dropped()), ("image/svg+xml", 0));
    assert_eq!(images.kept()[0].data, "QUJD");
}

#[test]
fn what_is_no_picture_or_too_much_is_counted() {
    let title = json!("t");
    let odd = ["text/html", "image/", "image/../../x", "image/a b", &"image/x".repeat(20)];
    let images = answer(&odd.map(|mime| picture(mime, &title)));
    assert_eq!((images.kept().len(), images.dropped()), (0, odd.len()));
    let many = vec![picture("image/png", &title); 11];
    let images = answer(&many);
    assert_eq!((images.kept().len(), images.dropped()), (8, 3));
}

#[test]
fn plain_text_is_a_result() {
    let plain = result(json!({"content": [
        {"type": "text", "text": "Changes committed"}, {"type": "text", "text": "2 files"},
    ]}));
    assert_eq!(plain.value, json!({"text": "Changes committed\n2 files"}));
    assert_eq!(plain.parts, [text("Changes committed"), text("2 files")]);
    assert!(!plain.structured && plain.fault.is_none());
    let number = result(json!({"content": [{"type": "text", "text": "42"}]}));
    assert_eq!((number.value, number.structured), (json!({"text": "42"}), false));
}

#[test]
fn json_in_a_text_is_its_value() {
    let of = |words: &str| result(json!({"content": [{"type": "text", "text": words}]}));
    let object = of(r#"{"cm": 42}"#);
    assert_eq!((object.value, object.structured), (json!({"cm": 42}), true));
    assert!(object.parts.is_empty());
    assert_eq!(of("[1, 2]").value, json!({"items": [1, 2]}));
    assert_eq!(of("{not json").value, json!({"text": "{not json"}));
}

#[test]
fn text_beside_a_structured_value_is_for_people_unless_it_is_the_value_again() {
    let both = |words: &str| {
        result(json!({"structuredContent": {"result": "x"},
            "content": [{"type": "text", "text": words}]}))
    };
    assert_eq!(both("It is x.").parts, [text("It is x.")]);
    assert!(both(r#"{"result": "x"}"#).parts.is_empty());
    let list = result(json!({"structuredContent": [1, 2], "content": []}));
    assert_eq!(list.value, json!({"items": [1, 2]}));
    assert_eq!(result(json!({"structuredContent": 7})).value, json!({"value": 7}));
}

#[test]
fn every_kind_of_part_is_kept_or_named() {
    let all = result(json!({"content": [
        {"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt", "title": "The\nfile",
         "mimeType": "text/plain", "size": 12},
        {"type": "resource", "resource": {"uri": "note://1", "mimeType": "text/plain", "text": "hi"}},
        {"type": "resource", "resource": {"uri": "note://2", "blob": "QUJD"}},
        {"type": "audio", "mimeType": "audio/wav", "data": "QUJDRA=="},
        {"type": "image", "mimeType": "image/png", "data": "QUJD"},
        {"type": "hologram", "waves": [1, 2, 3]},
    ]}));
    let link = |uri: &str, mime: &str, bytes| Link {
        uri: uri.to_owned(),
        name: String::new(),
        mime: mime.to_owned(),
        bytes: Some(bytes),
    };
    let named = Link { name: "The file".to_owned(), ..link("file:///a.txt", "text/plain", 12) };
    let hi = Some(Text { kept: "hi".to_owned(), left_out: 0 });
    assert_eq!(
        all.parts,
        [
            Content::Link(named),
            Content::Resource { link: link("note://1", "text/plain", 2), text: hi },
            Content::Resource { link: link("note://2", "", 3), text: None },
            Content::Media { mime: "audio/wav".to_owned(), bytes: 4 },
            Content::Media { mime: "image/png".to_owned(), bytes: 3 },
            Content::Other { kind: "hologram".to_owned(), bytes: 35 },
        ]
    );
    assert_eq!(
        (all.images.kept().len(), all.value["content"][5]["type"].as_str()),
        (1, Some("hologram"))
    );
}

#[test]
fn nothing_is_a_result() {
    for answer in [json!({}), json!(null), json!({"content": []}), json!({"content": null})] {
        let nothing = result(answer);
        assert_eq!((nothing.value, nothing.parts.len(), nothing.fault), (json!({}), 0, None));
    }
}

#[test]
fn wrong_types_are_kept_and_named() {
    for (odd, value) in [
        (json!("ok"), json!({"text": "ok"})),
        (json!({"content": "done"}), json!({"text": "done"})),
        (json!({"content": ["done"]}), json!({"text": "done"})),
        (json!({"content": [{"type": "text", "text": 7}]}), json!({"text": "7"})),
        (json!([5]), json!({"content": [{"type": "unknown", "bytes": 1}]})),
        (json!({"content": [{"type": 5}]}), json!({"content": [{"type": "unknown", "bytes": 10}]})),
        (
            json!({"content": [{"type": "resource", "resource": 5}]}),
            json!({"content": [{"type": "resource", "bytes": 1}]}),
        ),
    ] {
        assert_eq!(result(odd.clone()).value, value, "{odd}");
    }
    assert!(result(json!({"content": "done"})).fault.is_some());
    assert!(read("t", json!({"isError": "true", "content": "no"})).is_err());
}

#[test]
fn what_is_too_much_is_cut_and_counted() {
    let long = "水".repeat(3 * 1024 * 1024);
    let cut = result(json!({"content": [{"type": "text", "text": long}]}));
    let Content::Text(text) = &cut.parts[0] else { panic!("no text") };
    assert_eq!(text.kept.len() + cut.left_out, long.len());
    assert_eq!(text.kept.chars().count() + text.left_out, 3 * 1024 * 1024);
    assert!(text.kept.len() <= MAX_ANSWER_BYTES);
    let rows: Vec<Value> = (0..400_000).map(|n| json!({"row": n})).collect();
    let cut = result(json!({"structuredContent": {"rows": rows}}));
    assert!(cut.left_out > 0 && size(&cut.value) <= MAX_ANSWER_BYTES);
    let many = vec![json!({"type": "text", "text": "x"}); 1000];
    let cut = result(json!({"content": many}));
    assert!(cut.parts.len() == MAX_PARTS && cut.left_out > 0 && cut.fault.is_some());
}

#[test]
fn words_are_kept_whatever_their_part_calls_itself_and_them() {
    for part in [
        json!({"text": "low"}),
        json!({"type": null, "text": "low"}),
        json!({"type": "Text", "text": "low"}),
        json!({"type": "markdown", "text": "low"}),
        json!({"type": "text", "value": "low"}),
        json!({"type": "text", "content": "low"}),
    ] {
        let read = result(json!({"content": [part]}));
        assert_eq!((read.parts, read.fault), (vec![text("low")], None), "{part}");
    }
    let flat =
        result(json!({"content": [{"type": "resource", "uri": "file:///a", "text": "low"}]}));
    assert!(
        matches!(&flat.parts[..], [Content::Resource { text: Some(text), .. }] if text.kept == "low")
    );
}

#[test]
fn a_result_under_another_key_is_one() {
    for (answer, value) in [
        (json!({"toolResult": {"tide": "low"}}), json!({"tide": "low"})),
        (json!({"output": "low", "_meta": {"t": 1}}), json!({"output": "low"})),
        (json!({"toolResult": "low", "more": 1}), json!({"toolResult": "low", "more": 1})),
        (json!({"content": [], "output": "low"}), json!({"output": "low"})),
    ] {
        assert_eq!(result(answer.clone()).value, value, "{answer}");
    }
    let failed = read("t", json!({"isError": true, "reason": "the winch is stuck"})).unwrap_err();
    assert_eq!(failed.words().unwrap_or_default(), "the winch is stuck");
}

#[test]
fn a_number_that_cannot_be_held_leaves_its_text_as_it_is() {
    let long = r#"{"boats":123456789012345678901234567890}"#;
    let read = result(json!({"content": [{"type": "text", "text": long}]}));
    assert_eq!((read.structured, &read.parts[..]), (false, &[text(long)][..]));
    let quoted =
        json!({"content": [{"type": "text", "text": r#"{"a":"\"123456789012345678901","b":18}"#}]});
    assert!(result(quoted).structured);
}

#[test]
fn many_pictures_push_out_no_words() {
    let mut parts = vec![picture("image/png", &json!("t")); MAX_PARTS + 5];
    parts.push(json!({"type": "text", "text": "low"}));
    let read = result(json!({"content": parts}));
    assert_eq!((read.parts.len(), read.parts.last()), (MAX_PARTS + 1, Some(&text("low"))));
    assert_eq!(read.fault.as_deref(), Some("it has too many parts"));
}

#[test]
fn a_failure_may_be_told_in_a_resource() {
    let why = json!({"type": "resource", "resource": {"uri": "file:///why", "text": "the winch is stuck"}});
    let failed = read("t", json!({"isError": true, "content": [why]})).unwrap_err();
    assert_eq!(failed.words().unwrap_or_default(), "the winch is stuck");
}
