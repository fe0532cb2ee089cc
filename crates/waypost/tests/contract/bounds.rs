//! What a router asks of a request before it does anything, and what an id says of it.

use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::Code;
use waypost::records::request::Request;
use waypost::router::AnswerOptions;

use super::cases::{request, runtime};
use super::parts::{trained, world};

#[test]
fn a_request_beyond_its_bounds_is_refused_on_every_way_in() {
    let (trained, runtime) = (trained(&[]), runtime());
    let world = world(&trained, &["rules", "linear"]);
    let (cancel, (out, _parts)) = (CancellationToken::new(), tokio::sync::mpsc::channel(64));
    for request in [
        Request { session: Some("s".repeat(3_000_000)), ..request("my quota") },
        Request { choice: Some(json!("x".repeat(400_000))), ..request("my quota") },
    ] {
        let answer = world.router.answer(&request, AnswerOptions::default(), &out, &cancel);
        assert_eq!(runtime.block_on(answer).unwrap_err().code(), Code::InvalidArgument);
        let decision = world.router.route(&request, &cancel);
        assert_eq!(runtime.block_on(decision).unwrap_err().code(), Code::InvalidArgument);
        let why = world.router.why(&request, &cancel);
        assert_eq!(runtime.block_on(why).unwrap_err().code(), Code::InvalidArgument);
    }
    assert!(world.store.take().is_empty());
}

#[test]
fn an_id_is_a_function_of_the_request_and_of_its_salt() {
    let (trained, runtime) = (trained(&[]), runtime());
    let world = world(&trained, &["rules", "linear"]);
    let id = |salt: Option<u64>| {
        let request = Request { salt, ..request("my quota") };
        runtime.block_on(world.router.route(&request, &CancellationToken::new())).unwrap().id
    };
    assert_eq!((id(None), id(Some(1))), (id(None), id(Some(1))));
    let mut ids = vec![id(None), id(Some(0)), id(Some(1))];
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}
