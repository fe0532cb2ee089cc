//! Tells of a request, before it is read, how many values it holds: each takes tens of bytes of memory, and may be
//! written with two.
//!
//! What is counted is what a text of JSON would show as a comma, a colon or a bracket, so that both surfaces have one
//! limit. Groups, which proto3 has not, are refused: what comes after one would be passed over.

/// A message that may hold values.
#[derive(Debug, Clone, Copy)]
enum Message {
    Request,
    Call,
    Struct,
    Entry,
    Value,
    List,
}

impl Message {
    /// The message that a field of this one is, if it may hold values. The numbers of the first two are those of
    /// `assistant.proto`, the others those of `google/protobuf/struct.proto`.
    fn field(self, number: u64) -> Option<Self> {
        match (self, number) {
            (Self::Request, 8) | (Self::Entry, 2) | (Self::List, 1) => Some(Self::Value),
            (Self::Request, 9) | (Self::Call, 2) | (Self::Value, 5) => Some(Self::Struct),
            (Self::Request, 12) => Some(Self::Call),
            (Self::Struct, 1) => Some(Self::Entry),
            (Self::Value, 6) => Some(Self::List),
            _ => None,
        }
    }
}

/// The number of values in an encoded request; none for bytes that are no message.
pub(super) fn values(request: &[u8]) -> Option<usize> {
    let mut count = 0;
    let mut open = vec![(Message::Request, request)];
    while let Some((message, mut rest)) = open.pop() {
        while !rest.is_empty() {
            let key = varint(&mut rest)?;
            match key & 7 {
                0 => {
                    varint(&mut rest)?;
                }
                1 => {
                    take(&mut rest, 8)?;
                }
                2 => {
                    let length = varint(&mut rest)?;
                    let part = take(&mut rest, usize::try_from(length).ok()?)?;
                    if let Some(inner) = message.field(key >> 3) {
                        count += 1;
                        open.push((inner, part));
                    }
                }
                5 => {
                    take(&mut rest, 4)?;
                }
                _ => return None,
            }
        }
    }
    Some(count)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (part, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(part)
}

#[cfg(test)]
mod tests {
    use prost::Message as _;
    use serde_json::json;

    use super::super::generated::{DeclaredCall, Request};
    use super::super::values::{of_json, of_object};
    use super::*;

    fn counted(request: &Request) -> Option<usize> {
        values(&request.encode_to_vec())
    }

    #[test]
    fn the_values_of_a_request_are_counted_wherever_they_are() {
        let object = json!({ "a": 1, "b": [1, 2, "[,,{"] });
        let fields = Some(of_object(object.as_object().unwrap()));
        let plain = Request { text: "[1, 2, {}]".to_owned(), trusted: true, ..Request::default() };
        assert_eq!(counted(&plain), Some(0));
        // A struct, two entries with their values, and a list of three.
        let context = Request { context: fields.clone(), ..plain.clone() };
        assert_eq!(counted(&context), Some(9));
        let choice = Request { choice: Some(of_json(&object)), ..plain.clone() };
        assert_eq!(counted(&choice), Some(10));
        let call = DeclaredCall { arguments: fields, ..DeclaredCall::default() };
        assert_eq!(counted(&Request { call: Some(call), ..plain }), Some(10));
    }

    #[test]
    fn many_small_values_are_seen_in_few_bytes() {
        // A list in `choice`, of values that have no kind: two bytes each.
        let items = [0x0a_u8, 0].repeat(50_000);
        let length = |bytes: &[u8]| {
            let mut length = Vec::new();
            prost::encoding::encode_varint(bytes.len() as u64, &mut length);
            length
        };
        let list = [&[0x32_u8][..], &length(&items)[..], &items[..]].concat();
        let request = [&[0x42_u8][..], &length(&list)[..], &list[..]].concat();
        assert_eq!(values(&request), Some(50_002));
    }

    #[test]
    fn what_is_no_message_is_told() {
        for bytes in [
            &[0x0a, 5, b'a'][..],
            &[0x80],
            &[0xff; 11],
            // A group, which would hide what comes after it.
            &[0xa3, 1, 0xa4, 1],
        ] {
            assert_eq!(values(bytes), None, "{bytes:?}");
        }
        assert_eq!(values(&[]), Some(0));
    }
}
