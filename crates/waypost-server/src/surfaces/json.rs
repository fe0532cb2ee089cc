//! Tells of a text of JSON, before it is read, how much it holds.

/// The most values of a body or a line: each takes tens of bytes of memory, and may be written with
/// two.
pub(super) const MAX_VALUES: usize = 20_000;

/// The most values that a text of JSON may hold: its commas, colons and opening brackets outside of
/// strings.
pub(super) fn values(bytes: &[u8]) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b':' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}
