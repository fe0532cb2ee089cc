//! Cuts a JSON value down to a size: what is kept is a beginning of it.

use std::io;

use serde_json::Value;

/// A writer that only counts.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The size of a value as JSON, in bytes.
pub(super) fn size(value: &Value) -> usize {
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

/// The beginning of a value that has room in `room` bytes of JSON, and how many bytes are left out.
pub(super) fn cut(value: Value, room: usize) -> (Value, usize) {
    let whole = size(&value);
    if whole <= room {
        return (value, 0);
    }
    let empty = match &value {
        Value::Object(_) => Value::Object(serde_json::Map::new()),
        _ => Value::Null,
    };
    let mut room = room;
    let kept = kept(value, &mut room).unwrap_or(empty);
    let left_out = whole.saturating_sub(size(&kept));
    (kept, left_out)
}

/// The beginning of a value; nothing where not even its frame has room.
fn kept(value: Value, room: &mut usize) -> Option<Value> {
    match value {
        Value::Array(items) => {
            take(room, 2)?;
            let mut kept_items = Vec::new();
            for item in items {
                let Some(item) = take(room, 1).and_then(|()| kept(item, room)) else { break };
                kept_items.push(item);
            }
            Some(Value::Array(kept_items))
        }
        Value::Object(entries) => {
            take(room, 2)?;
            let mut kept_entries = serde_json::Map::new();
            for (key, entry) in entries {
                let frame = key.len() + 4;
                let Some(entry) = take(room, frame).and_then(|()| kept(entry, room)) else { break };
                kept_entries.insert(key, entry);
            }
            Some(Value::Object(kept_entries))
        }
        Value::String(mut words) => {
            take(room, 2)?;
            let end =
                (0..=words.len().min(*room)).rev().find(|end| words.is_char_boundary(*end))?;
            words.truncate(end);
            *room -= end;
            Some(Value::String(words))
        }
        other => {
            take(room, size(&other))?;
            Some(other)
        }
    }
}

/// Takes bytes off the room; `None` where there is not enough.
fn take(room: &mut usize, bytes: usize) -> Option<()> {
    *room = room.checked_sub(bytes)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_room_stays_as_it_is() {
        let value = json!({ "a": [1, 2, 3], "b": "words" });
        assert_eq!(size(&value), value.to_string().len());
        assert_eq!(cut(value.clone(), 100), (value, 0));
    }

    #[test]
    fn a_long_list_and_a_long_text_keep_their_beginning() {
        let (kept, left_out) = cut(json!({ "rows": vec![12345; 1000], "z": 1 }), 200);
        let rows = kept["rows"].as_array().unwrap().len();
        assert!((20..=40).contains(&rows) && kept.get("z").is_none(), "{kept}");
        assert!(size(&kept) <= 200 && left_out > 5000);
        let (kept, _) = cut(json!({ "text": "水".repeat(1000) }), 100);
        assert!(kept["text"].as_str().unwrap().chars().all(|c| c == '水'));
        assert_eq!(cut(json!({ "a": 1 }), 1).0, json!({}));
    }
}
