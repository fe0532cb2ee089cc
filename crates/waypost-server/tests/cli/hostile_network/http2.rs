//! Clients of HTTP/2 that break its rules, or keep them and cost too much: each is sent away, and
//! others are served beside it.

use std::io::{BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::thread::{self, JoinHandle};

use waypost_testing::clients::Patience;
use waypost_testing::http2::{
    ACK, CANCEL, COMPRESSION_ERROR, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM,
    FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, GOAWAY, HEADERS, PING, PREFACE, PROTOCOL_ERROR,
    REFUSED_STREAM, RST_STREAM, SETTINGS, announced, field, frame, indexed, read, remembered,
    request, reset, window,
};

use super::{IMPATIENT, SOON, connect, is_end, others_are_served, start};
use crate::serve::Site;
use crate::support::Home;

/// A client of HTTP/2.
struct Client {
    name: &'static str,
    /// The patience of the server.
    patience: Patience,
    /// Makes all that it sends.
    sends: fn() -> Vec<u8>,
    /// True if it ends its side then.
    ends: bool,
    owed: Owed,
}

/// The duties towards a client.
#[derive(Debug, Clone, Copy)]
enum Owed {
    /// That its connection is closed, after a word with one of these codes.
    Farewell(&'static [u32]),
    /// That a stream of it is ended with one of these codes.
    Reset(&'static [u32]),
    /// That its connection is closed.
    Closed,
}

/// The client that the others differ from.
const CLIENT: Client =
    Client { name: "", patience: Patience::Long, sends: Vec::new, ends: false, owed: Owed::Closed };

/// The times that something is repeated which costs little once.
const FLOOD: u32 = 10_000;
/// The largest payload that a server takes by default.
const MAX_PAYLOAD: usize = 16_384;
/// The largest window.
const MAX_WINDOW: u32 = 0x7fff_ffff;
/// The flags of a request in one frame.
const WHOLE: u8 = END_STREAM | END_HEADERS;

/// A request about the server.
const HEALTH: &[(&str, &str)] =
    &[(":method", "GET"), (":scheme", "http"), (":authority", "localhost"), (":path", "/healthz")];
/// A question whose body is yet to come.
const QUESTION: &[(&str, &str)] = &[
    (":method", "POST"),
    (":scheme", "http"),
    (":authority", "localhost"),
    (":path", "/v1/route"),
    ("content-type", "application/json"),
];

/// The clients, each with what it is owed, by the sections of RFC 9113.
const CLIENTS: &[Client] = &[
    Client {
        name: "the first letters of a preface",
        patience: Patience::Short,
        sends: || b"PR".to_vec(),
        ..CLIENT
    },
    Client {
        name: "half a preface",
        patience: Patience::Short,
        sends: || PREFACE[..PREFACE.len() / 2].to_vec(),
        ..CLIENT
    },
    Client {
        name: "a preface that is none",
        sends: || b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".to_vec(),
        ..CLIENT
    },
    Client {
        name: "a preface and nothing more",
        patience: Patience::Short,
        sends: || PREFACE.to_vec(),
        ..CLIENT
    },
    Client {
        name: "a preface, then HTTP/1.1",
        sends: || [PREFACE, b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"].concat(),
        owed: Owed::Farewell(&[FRAME_SIZE_ERROR, PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a frame of 16 MiB",
        sends: || begun(&[announced(0xff_ffff, DATA, 0, 1)]),
        owed: Owed::Farewell(&[FRAME_SIZE_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a body for the connection",
        sends: || begun(&[frame(DATA, 0, 0, b"{}")]),
        owed: Owed::Farewell(&[PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a body for no request",
        sends: || begun(&[frame(DATA, 0, 9, b"{}")]),
        owed: Owed::Farewell(&[PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a request with a number of the server's",
        sends: || begun(&[request(2, WHOLE, HEALTH)]),
        owed: Owed::Farewell(&[PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a request without a path",
        sends: || begun(&[request(1, WHOLE, &HEALTH[..3])]),
        owed: Owed::Reset(&[PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a field of HTTP/1.1",
        sends: || begun(&[request(1, WHOLE, &[HEALTH, &[("connection", "close")]].concat())]),
        owed: Owed::Reset(&[PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "fields without an end",
        patience: Patience::Short,
        sends: || begun(&[request(1, END_STREAM, HEALTH)]),
        ..CLIENT
    },
    Client {
        name: "fields without an end, again and again",
        sends: || {
            let more = frame(CONTINUATION, 0, 1, &[]).repeat(FLOOD as usize);
            begun(&[request(1, END_STREAM, HEALTH), more])
        },
        owed: Owed::Farewell(&[ENHANCE_YOUR_CALM]),
        ..CLIENT
    },
    Client {
        name: "more fields than a head may have",
        sends: || begun(&[many_fields(1_500)]),
        owed: Owed::Reset(&[PROTOCOL_ERROR, REFUSED_STREAM]),
        ..CLIENT
    },
    Client {
        name: "far more fields than a head may have",
        sends: || begun(&[many_fields(4_000)]),
        owed: Owed::Farewell(&[ENHANCE_YOUR_CALM]),
        ..CLIENT
    },
    Client {
        name: "a field that stands for megabytes",
        sends: || begun(&[bomb()]),
        owed: Owed::Farewell(&[ENHANCE_YOUR_CALM]),
        ..CLIENT
    },
    Client {
        name: "a field by an index that there is not",
        sends: || begun(&[frame(HEADERS, WHOLE, 1, &indexed(1_000))]),
        owed: Owed::Farewell(&[COMPRESSION_ERROR, PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a field by an index without an end",
        sends: || begun(&[frame(HEADERS, WHOLE, 1, &[0xff; 64])]),
        owed: Owed::Farewell(&[COMPRESSION_ERROR, PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "too large a window of the connection",
        sends: || begun(&[window(0, MAX_WINDOW)]),
        owed: Owed::Farewell(&[FLOW_CONTROL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "too large a window of a request",
        sends: || begun(&[request(1, END_HEADERS, QUESTION), window(1, MAX_WINDOW)]),
        owed: Owed::Reset(&[FLOW_CONTROL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "a window of nothing",
        sends: || begun(&[window(0, 0)]),
        owed: Owed::Farewell(&[PROTOCOL_ERROR]),
        ..CLIENT
    },
    Client {
        name: "more requests than it may have at once",
        sends: || begun(&numbered(150, |stream| request(stream, END_HEADERS, QUESTION))),
        owed: Owed::Reset(&[REFUSED_STREAM]),
        ..CLIENT
    },
    Client {
        name: "requests that are given up at once",
        sends: || {
            let given_up =
                |stream| [request(stream, WHOLE, HEALTH), reset(stream, CANCEL)].concat();
            begun(&numbered(FLOOD, given_up))
        },
        owed: Owed::Farewell(&[ENHANCE_YOUR_CALM]),
        ..CLIENT
    },
    Client {
        name: "a flood of settings",
        sends: || begun(&[frame(SETTINGS, 0, 0, &[]).repeat(FLOOD as usize)]),
        ends: true,
        ..CLIENT
    },
    Client {
        name: "a flood of pings",
        sends: || begun(&[frame(PING, 0, 0, b"12345678").repeat(FLOOD as usize)]),
        ends: true,
        ..CLIENT
    },
    Client {
        name: "a flood of answers to pings that nobody sent",
        sends: || begun(&[frame(PING, ACK, 0, b"12345678").repeat(FLOOD as usize)]),
        ends: true,
        ..CLIENT
    },
];

/// The beginning of every connection, and these frames.
fn begun(frames: &[Vec<u8>]) -> Vec<u8> {
    let settings = frame(SETTINGS, 0, 0, &[]);
    [PREFACE, settings.as_slice(), frames.concat().as_slice()].concat()
}

/// The frames of so many streams of a client, which have the odd numbers.
fn numbered(count: u32, frames: impl Fn(u32) -> Vec<u8>) -> Vec<Vec<u8>> {
    (0..count).map(|at| frames(2 * at + 1)).collect()
}

/// A question with so many fields of 33 bytes, as the bound counts them, in one frame.
fn many_fields(count: usize) -> Vec<u8> {
    let fields = QUESTION.iter().copied().chain(std::iter::repeat_n(("a", ""), count));
    request(1, END_HEADERS, &fields.collect::<Vec<_>>())
}

/// A frame that has its reader remember a field of 4 kB, and names it with each of its other bytes.
fn bomb() -> Vec<u8> {
    let mut block: Vec<u8> = QUESTION.iter().flat_map(|(name, value)| field(name, value)).collect();
    block.extend(remembered("a", &"b".repeat(4_000)));
    let again = indexed(62);
    while block.len() < MAX_PAYLOAD {
        block.extend_from_slice(&again);
    }
    frame(HEADERS, END_HEADERS, 1, &block)
}

/// A client whose server answers.
struct Played {
    stream: TcpStream,
    writer: JoinHandle<()>,
}

/// Has a client send what it sends. It reads beside it: a server that says much to many frames
/// would otherwise wait for it, and it for the server.
fn play(site: Site, client: &Client) -> Played {
    let stream = connect(site);
    if client.patience == Patience::Short {
        stream.set_read_timeout(Some(SOON)).unwrap();
    }
    let (mut writing, sends, ends) = (stream.try_clone().unwrap(), client.sends, client.ends);
    let writer = thread::spawn(move || {
        // A server that has heard enough takes nothing more.
        let _ = writing.write_all(&sends());
        if ends {
            let _ = writing.shutdown(Shutdown::Write);
        }
    });
    Played { stream, writer }
}

/// Fails the test unless a client gets what it is owed.
#[track_caller]
fn owed(client: &Client, played: Played) {
    let Client { name, owed, .. } = client;
    let mut stream = BufReader::new(played.stream);
    let mut farewell = None;
    loop {
        let frame = match read(&mut stream) {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(error) => {
                assert!(is_end(&error), "the connection of {name} is not closed: {error}");
                break;
            }
        };
        match (owed, frame.kind) {
            (Owed::Reset(codes), RST_STREAM) => {
                let code = frame.error().unwrap();
                assert!(codes.contains(&code), "{name}: {code}");
                drop(stream);
                return played.writer.join().unwrap();
            }
            (_, GOAWAY) => farewell = frame.error(),
            _ => {}
        }
    }
    match owed {
        Owed::Farewell(codes) => {
            assert!(farewell.is_some_and(|code| codes.contains(&code)), "{name}: {farewell:?}");
        }
        Owed::Reset(_) => panic!("{name}: its connection was closed: {farewell:?}"),
        Owed::Closed => {}
    }
    played.writer.join().unwrap();
}

#[test]
fn every_client_of_http2_gets_what_it_is_owed_and_others_are_served() {
    let (patient, impatient) = (Home::untrained(), Home::untrained());
    impatient.write("waypost.toml", IMPATIENT);
    let (patient, impatient) = (start(&patient, &[]), start(&impatient, &[]));
    // They wait together.
    let is_waited_for = |client: &&Client| client.patience == Patience::Short;
    let waited_for = CLIENTS.iter().filter(is_waited_for);
    let waited_for: Vec<_> =
        waited_for.map(|client| (client, play(impatient.site, client))).collect();
    for client in CLIENTS.iter().filter(|client| !is_waited_for(client)) {
        owed(client, play(patient.site, client));
        others_are_served(patient.site, &[], client.name);
    }
    for (client, played) in waited_for {
        others_are_served(impatient.site, &[], client.name);
        owed(client, played);
    }
}
