//! Frames of HTTP/2 (RFC 9113), whole or broken, as a client that misbehaves writes them, and those
//! that a server says back.
//!
//! Fields are written as HPACK's literals without Huffman coding (RFC 7541); nothing here checks
//! what it writes, and nothing reads fields.
//!
//! # Example
//!
//! ```
//! use waypost_testing::http2::{END_HEADERS, END_STREAM, HEADERS, read, request};
//!
//! let fields = [(":method", "GET"), (":scheme", "http"), (":path", "/healthz")];
//! let bytes = request(1, END_STREAM | END_HEADERS, &fields);
//! let frame = read(&mut bytes.as_slice())?.expect("a frame");
//! assert_eq!((frame.kind, frame.stream, frame.payload.len()), (HEADERS, 1, bytes.len() - 9));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io::{self, ErrorKind, Read};

/// The first bytes of every client (RFC 9113, 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The kind of a frame with a piece of a body.
pub const DATA: u8 = 0;
/// The kind of a frame that begins a request.
pub const HEADERS: u8 = 1;
/// The kind of a frame that ends a stream at once.
pub const RST_STREAM: u8 = 3;
/// The kind of a frame with settings.
pub const SETTINGS: u8 = 4;
/// The kind of a frame that wants an answer.
pub const PING: u8 = 6;
/// The kind of a frame that ends a connection.
pub const GOAWAY: u8 = 7;
/// The kind of a frame that gives room for more.
pub const WINDOW_UPDATE: u8 = 8;
/// The kind of a frame with more fields.
pub const CONTINUATION: u8 = 9;

/// The flag of `SETTINGS` and `PING` that are answers.
pub const ACK: u8 = 0x1;
/// The flag of `DATA` and `HEADERS` behind which nothing comes.
pub const END_STREAM: u8 = 0x1;
/// The flag of `HEADERS` and `CONTINUATION` that no `CONTINUATION` follows.
pub const END_HEADERS: u8 = 0x4;

/// The code of a breach of the protocol that has no code of its own.
pub const PROTOCOL_ERROR: u32 = 1;
/// The code of a window that was overrun.
pub const FLOW_CONTROL_ERROR: u32 = 3;
/// The code of a frame that is longer than it may be.
pub const FRAME_SIZE_ERROR: u32 = 6;
/// The code of a request that nobody began to serve.
pub const REFUSED_STREAM: u32 = 7;
/// The code of a request that its client gives up.
pub const CANCEL: u32 = 8;
/// The code of fields that cannot be read.
pub const COMPRESSION_ERROR: u32 = 9;
/// The code of a client that costs too much.
pub const ENHANCE_YOUR_CALM: u32 = 11;

/// The bytes before a payload.
const HEAD_BYTES: usize = 9;
/// The bits of the number of a stream; the one before them is reserved.
const STREAM_BITS: u32 = 0x7fff_ffff;

/// A frame that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its kind, such as [`HEADERS`].
    pub kind: u8,
    /// Its flags, such as [`END_STREAM`].
    pub flags: u8,
    /// The number of its stream; 0 for the connection.
    pub stream: u32,
    /// Its payload.
    pub payload: Vec<u8>,
}

impl Frame {
    /// The code of an error, if it is one: of a `RST_STREAM` or a `GOAWAY`.
    pub fn error(&self) -> Option<u32> {
        let from = match self.kind {
            RST_STREAM => 0,
            GOAWAY => 4,
            _ => return None,
        };
        let code = self.payload.get(from..from + 4)?;
        Some(u32::from_be_bytes(code.try_into().ok()?))
    }
}

/// Writes a frame with its payload, of less than 16 MiB.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = announced(payload.len() as u32, kind, flags, stream);
    bytes.extend_from_slice(payload);
    bytes
}

/// Writes the head of a frame, whose payload of `length` bytes may never come. A length has three
/// bytes.
pub fn announced(length: u32, kind: u8, flags: u8, stream: u32) -> Vec<u8> {
    let mut bytes = length.to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes
}

/// Writes a `HEADERS` with these fields.
pub fn request(stream: u32, flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    let block: Vec<u8> = fields.iter().flat_map(|(name, value)| field(name, value)).collect();
    frame(HEADERS, flags, stream, &block)
}

/// Writes a `RST_STREAM` with the code of an error.
pub fn reset(stream: u32, code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &code.to_be_bytes())
}

/// Writes a `WINDOW_UPDATE`.
pub fn window(stream: u32, more: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &more.to_be_bytes())
}

/// Writes a field of HPACK that its reader does not remember.
pub fn field(name: &str, value: &str) -> Vec<u8> {
    literal(0x00, name, value)
}

/// Writes a field of HPACK that its reader remembers; the last one has the index 62.
pub fn remembered(name: &str, value: &str) -> Vec<u8> {
    literal(0x40, name, value)
}

/// Writes a field of HPACK by its index in the tables of its reader.
pub fn indexed(index: usize) -> Vec<u8> {
    integer(0x80, 7, index)
}

fn literal(first: u8, name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![first];
    for text in [name, value] {
        bytes.extend(integer(0x00, 7, text.len()));
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// An integer behind the bits of `first`, of which it has the last `bits` (RFC 7541, 5.1).
fn integer(first: u8, bits: u32, value: usize) -> Vec<u8> {
    let most = (1_usize << bits) - 1;
    if value < most {
        return vec![first | value as u8];
    }
    let (mut bytes, mut rest) = (vec![first | most as u8], value - most);
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// Reads the next frame; `None` where the connection has ended before it.
///
/// # Errors
///
/// If it cannot be read, or breaks off.
pub fn read(from: &mut impl Read) -> io::Result<Option<Frame>> {
    let mut head = [0; HEAD_BYTES];
    if let Err(error) = from.read_exact(&mut head) {
        return match error.kind() {
            ErrorKind::UnexpectedEof => Ok(None),
            _ => Err(error),
        };
    }
    let [first, second, third, kind, flags, stream @ ..] = head;
    let length = u32::from_be_bytes([0, first, second, third]);
    let mut payload = vec![0; length as usize];
    from.read_exact(&mut payload)?;
    let stream = u32::from_be_bytes(stream) & STREAM_BITS;
    Ok(Some(Frame { kind, flags, stream, payload }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_was_written() {
        let bytes = [frame(PING, ACK, 0, b"12345678"), reset(5, CANCEL)].concat();
        assert_eq!(bytes[..9], [0, 0, 8, 6, 1, 0, 0, 0, 0]);
        let mut rest = bytes.as_slice();
        let ping = read(&mut rest).unwrap().unwrap();
        assert_eq!(
            (ping.kind, ping.payload.as_slice(), ping.error()),
            (PING, &b"12345678"[..], None)
        );
        let reset = read(&mut rest).unwrap().unwrap();
        assert_eq!((reset.stream, reset.error()), (5, Some(CANCEL)));
        assert_eq!(read(&mut rest).unwrap(), None);
        let gone = frame(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 11, b'x']);
        let gone = read(&mut gone.as_slice()).unwrap().unwrap();
        assert_eq!(gone.error(), Some(ENHANCE_YOUR_CALM));
        assert!(read(&mut &announced(5, DATA, 0, 1)[..]).is_err(), "it breaks off");
    }

    #[test]
    fn fields_are_written_as_the_examples_of_hpack() {
        // RFC 7541, C.2.1 and C.1.2.
        let custom = remembered("custom-key", "custom-header");
        assert_eq!(custom, b"\x40\x0acustom-key\x0dcustom-header");
        assert_eq!(integer(0x00, 5, 1337), [0x1f, 0x9a, 0x0a]);
        assert_eq!(indexed(2), [0x82]);
        assert_eq!(field("a", ""), b"\x00\x01a\x00");
    }
}
