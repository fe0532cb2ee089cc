//! Everything that can happen between a client and its server, as tables: each is one request, one code, and no word of the
//! server in what a user reads.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use waypost_backends::llm::{ModelConfig, OpenAiModel};
use waypost_core::ports::model::{Model, Prompt};
use waypost_core::{Code, Error};

use super::{listen, prompt};
use crate::raw::{self, Act, Play, RawServer};

/// What a server says of itself, which nobody but a log may repeat.
pub(super) const WORDS: &str = "upstream-words at 10.0.0.7";
/// The time that a slow server is given.
const HURRY: Duration = Duration::from_millis(300);
/// The time between two bytes that trickle: a head takes longer than [`HURRY`].
const GAP: Duration = Duration::from_millis(25);

pub(super) const DOWN: Code = Code::Unavailable;
const LATE: Code = Code::DeadlineExceeded;

type Row = (&'static str, Play, Code);

fn write(bytes: impl Into<Vec<u8>>) -> Act {
    Act::Write(bytes.into())
}

/// The head of a good answer of so many bytes.
fn good(length: usize) -> String {
    let length = length.to_string();
    raw::head(200, &[("content-type", "application/json"), ("content-length", &length)])
}

/// Connections that break, lie or sleep.
fn connections() -> Vec<Row> {
    let half = format!("{{\"choices\":[{{\"message\":{{\"content\":\"{WORDS}");
    let chunks = |rest: &str| {
        let head = raw::head(200, &[("transfer-encoding", "chunked"), ("server", WORDS)]);
        format!("{head}{rest}")
    };
    let trickle = |bytes: &str| Act::Trickle(bytes.as_bytes().to_vec(), GAP);
    vec![
        ("reset before an answer", Play::reset(Vec::new()), DOWN),
        ("reset after the head", Play::reset(vec![write(good(500))]), DOWN),
        ("closed before an answer", Play::of(Vec::new()), DOWN),
        ("closed within the head", Play::bytes("HTTP/1.1 200 OK\r\ncontent-ty"), DOWN),
        ("closed within the body", Play::bytes(good(500) + &half), DOWN),
        ("a length that is too short", Play::bytes(good(10) + &half), DOWN),
        ("a length that is no number", Play::bytes(good(10).replace("10", "ten") + &half), DOWN),
        ("a chunk that is cut", Play::bytes(chunks("40\r\n{\"choices\":[")), DOWN),
        ("a chunk without a length", Play::bytes(chunks("upstream\r\nwords\r\n")), DOWN),
        ("another protocol", Play::bytes(format!("220 {WORDS} ESMTP\r\n")), DOWN),
        ("silence", Play::of(vec![Act::Hold]), LATE),
        ("silence within the head", Play::of(vec![write("HTTP/1.1 200 OK\r\n"), Act::Hold]), LATE),
        ("silence after the head", Play::of(vec![write(good(500)), Act::Hold]), LATE),
        ("silence within the body", Play::of(vec![write(good(500) + &half), Act::Hold]), LATE),
        ("a head that trickles", Play::of(vec![trickle(&good(500))]), LATE),
        ("a body that trickles", Play::of(vec![write(good(500)), trickle(&half)]), LATE),
    ]
}

/// Answers that are no reply, by their status.
fn statuses() -> Vec<Row> {
    let page = format!("<html><head><title>{WORDS}</title></head></html>\n");
    let of_page = |status| Play::bytes(raw::whole(status, "text/html", &page));
    let of_json = |status: u16| {
        let body = format!("{{\"error\":{{\"message\":\"{WORDS}\",\"type\":\"error\"}}}}");
        Play::bytes(raw::whole(status, "application/json", &body))
    };
    let with = |status: u16, name: &str, value: &str| {
        Play::bytes(raw::head(status, &[(name, value), ("content-length", "0")]))
    };
    let loading = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    vec![
        ("no content", Play::bytes(raw::head(204, &[])), DOWN),
        ("moved for ever", with(301, "location", "/v1/elsewhere"), DOWN),
        ("moved for now", with(307, "location", "/v1/elsewhere"), DOWN),
        ("moved to a page", with(302, "location", "http://127.0.0.1:9/login"), DOWN),
        ("a bad request", of_json(400), DOWN),
        ("no key", of_json(401), Code::PermissionDenied),
        ("another key", of_page(403), Code::PermissionDenied),
        ("nothing there", of_page(404), DOWN),
        ("another method", of_page(405), DOWN),
        ("the server is tired of waiting", of_page(408), LATE),
        ("a request that is too large", of_page(413), Code::ResourceExhausted),
        ("a limit", with(429, "retry-after", "30"), Code::ResourceExhausted),
        ("a limit with words", of_json(429), Code::ResourceExhausted),
        ("a fault", of_json(500), DOWN),
        ("a proxy whose server is gone", of_page(502), DOWN),
        (
            "a model that is being read",
            Play::bytes(raw::whole(503, "application/json", loading)),
            DOWN,
        ),
        ("a proxy that is tired of waiting", of_page(504), LATE),
        ("a status that nobody knows", of_page(599), DOWN),
    ]
}

/// The error of one call, whole or streamed.
async fn error_of(url: &str, prompt: &Prompt, streamed: bool) -> Option<Error> {
    let model = OpenAiModel::open(&ModelConfig::new(url, "m")).unwrap();
    match streamed {
        true => listen(&model, prompt).await.1,
        false => model.complete(prompt, &CancellationToken::new()).await.err(),
    }
}

#[tokio::test]
async fn each_fault_of_a_transport_is_one_request_and_one_code() {
    for (name, play, code) in connections().into_iter().chain(statuses()) {
        for streamed in [false, true] {
            let place = format!("{name}, streamed: {streamed}");
            let timeout = if play.is_slow() { HURRY } else { prompt().timeout };
            let server = RawServer::start(vec![play.clone()]);
            let error = error_of(&server.url(), &Prompt { timeout, ..prompt() }, streamed).await;
            let requests = server.finish();
            assert_eq!(requests.len(), 1, "{place}: {error:?}");
            let error = error.unwrap_or_else(|| panic!("{place}: no error"));
            assert_eq!(error.code(), code, "{place}: {error:?}");
            says_nothing_of_the_server(&place, &error);
        }
    }
}

/// What a user may read holds no word of the server and no address.
pub(super) fn says_nothing_of_the_server(place: &str, error: &Error) {
    let shown = format!("{} {}", error.message(), error.hint().unwrap_or_default());
    for word in ["upstream", "words", "10.0.0.7", "127.0.0.1", "html", "Loading", "elsewhere"] {
        assert!(!shown.contains(word), "{place}: {shown}");
    }
}
