//! Calls of gRPC that are no calls, in HTTP/2 that is well formed: each ends with a status, and
//! others are served beside it.

use std::net::SocketAddr;

use axum::http::{HeaderMap, Request};
use tokio::time::timeout;

use super::{DEADLINE, others_are_served, send, start};
use crate::grpc::{exchange, framed};
use crate::support::{Home, safe};

/// The codes of gRPC that occur here.
const OK: &str = "0";
const INVALID_ARGUMENT: &str = "3";
const RESOURCE_EXHAUSTED: &str = "8";
const UNIMPLEMENTED: &str = "12";
const INTERNAL: &str = "13";

const ROUTE: &str = "/waypost.v1.Assistant/Route";
/// The headers of every call.
const HEADERS: &[(&str, &str)] = &[("content-type", "application/grpc"), ("te", "trailers")];

/// A call.
struct Call {
    name: &'static str,
    method: &'static str,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    /// Makes its body.
    body: fn() -> Vec<u8>,
    /// The code of the status that it is owed.
    owed: &'static str,
}

/// The call that the others differ from, which is served.
const CALL: Call = Call {
    name: "a call",
    method: "POST",
    path: ROUTE,
    headers: HEADERS,
    body: || framed(0, &question()),
    owed: OK,
};

/// The calls. A flag without an encoding is `INTERNAL` in gRPC's own documents ("Compression").
const CALLS: &[Call] = &[
    CALL,
    Call { name: "a call without `te`", headers: &[("content-type", "application/grpc")], ..CALL },
    Call {
        name: "a deadline that is none",
        headers: &[("content-type", "application/grpc"), ("grpc-timeout", "soon")],
        ..CALL
    },
    Call {
        name: "a deadline in ten thousand years",
        headers: &[("content-type", "application/grpc"), ("grpc-timeout", "99999999H")],
        ..CALL
    },
    Call {
        name: "a message that is no protobuf",
        body: || framed(0, &[0xff; 64]),
        owed: INVALID_ARGUMENT,
        ..CALL
    },
    Call {
        name: "a text that is no UTF-8",
        body: || framed(0, &[TEXT, 2, 0xff, 0xfe]),
        owed: INVALID_ARGUMENT,
        ..CALL
    },
    Call {
        name: "a message of 4 GiB",
        body: || [&[0, 0xff, 0xff, 0xff, 0xff][..], &question()].concat(),
        owed: INVALID_ARGUMENT,
        ..CALL
    },
    Call {
        name: "more than was announced",
        body: || [framed(0, &question()), vec![0]].concat(),
        owed: INVALID_ARGUMENT,
        ..CALL
    },
    Call {
        name: "less than was announced",
        body: || {
            let mut whole = framed(0, &question());
            whole.pop();
            whole
        },
        owed: INVALID_ARGUMENT,
        ..CALL
    },
    Call {
        name: "a message that is called compressed",
        body: || framed(1, &question()),
        owed: INTERNAL,
        ..CALL
    },
    Call {
        name: "a flag that there is not",
        body: || framed(7, &question()),
        owed: INTERNAL,
        ..CALL
    },
    Call {
        name: "a compression that there is not",
        headers: &[("content-type", "application/grpc"), ("grpc-encoding", "gzip")],
        body: || framed(1, &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
        owed: UNIMPLEMENTED,
        ..CALL
    },
    Call {
        name: "objects ten thousand deep",
        body: || framed(0, &nested(10_000)),
        owed: INVALID_ARGUMENT,
        ..CALL
    },
    Call {
        // As many values as may be, so that they are read.
        name: "objects three thousand deep",
        body: || framed(0, &nested(3_000)),
        owed: INVALID_ARGUMENT,
        ..CALL
    },
    Call {
        name: "a message over the limit",
        body: || framed(0, &vec![0; 600 * 1024]),
        owed: RESOURCE_EXHAUSTED,
        ..CALL
    },
    Call {
        name: "a method that there is not",
        path: "/waypost.v1.Assistant/Burn",
        owed: UNIMPLEMENTED,
        ..CALL
    },
    Call {
        name: "a service that there is not",
        path: "/waypost.v1.Other/Route",
        owed: UNIMPLEMENTED,
        ..CALL
    },
    Call { name: "a path of HTTP", path: "/v1/nothing", owed: UNIMPLEMENTED, ..CALL },
    Call { name: "another verb", method: "PUT", owed: UNIMPLEMENTED, ..CALL },
];

/// The keys of fields, each with the kind of those that have a length: the text and the context of
/// a request, the entries of an object, the value of an entry, and the object that a value is.
const TEXT: u8 = 0x0a;
const CONTEXT: u8 = 0x4a;
const ENTRY: u8 = 0x0a;
const VALUE: u8 = 0x12;
const OBJECT: u8 = 0x2a;
/// The name `a` of an entry, from its end.
const NAME_REVERSED: [u8; 3] = [b'a', 1, 0x0a];

/// A message that is one.
fn question() -> Vec<u8> {
    let text = b"please explain what an endpoint is";
    [&[TEXT, u8::try_from(text.len()).unwrap()][..], text].concat()
}

/// A message whose context has an object within an object, so many times.
fn nested(levels: usize) -> Vec<u8> {
    // Written from its end, as a length stands before what it counts.
    let mut reversed = Vec::new();
    for _ in 0..levels {
        enclose(&mut reversed, OBJECT);
        enclose(&mut reversed, VALUE);
        reversed.extend(NAME_REVERSED);
        enclose(&mut reversed, ENTRY);
    }
    enclose(&mut reversed, CONTEXT);
    reversed.reverse();
    [question(), reversed].concat()
}

/// Makes all that there is, from its end, the content of a field.
fn enclose(reversed: &mut Vec<u8>, key: u8) {
    let mut length = Vec::new();
    prost::encoding::encode_varint(reversed.len() as u64, &mut length);
    reversed.extend(length.iter().rev());
    reversed.push(key);
}

/// Makes a call; returns the headers and the trailers of its end.
async fn ended(address: SocketAddr, call: &Call) -> HeaderMap {
    let uri = format!("http://{address}{}", call.path);
    let mut request = Request::builder().method(call.method).uri(uri);
    for (name, value) in call.headers {
        request = request.header(*name, *value);
    }
    exchange(address, request.body(()).unwrap(), (call.body)()).await.fields
}

#[test]
fn every_call_that_is_none_ends_with_a_status_and_others_are_served() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for call in CALLS {
        let ended =
            runtime.block_on(async { timeout(DEADLINE, ended(site.address(), call)).await });
        let fields = ended.expect(call.name);
        let told = |name: &str| {
            let value = fields.get(name).map(|value| value.to_str().unwrap());
            value.unwrap_or_default().to_owned()
        };
        assert_eq!(told("grpc-status"), call.owed, "{}: {fields:?}", call.name);
        safe(&told("grpc-message"));
        others_are_served(site, &[], call.name);
    }
}

#[test]
fn a_call_over_http_1_ends_with_a_status_too() {
    let home = Home::untrained();
    let serving = start(&home, &[]);
    let site = serving.site;
    let reply = send(site, &super::request("POST", ROUTE, HEADERS, &framed(0, &question())));
    let status = format!("grpc-status: {UNIMPLEMENTED}");
    let is_told = reply.head.lines().any(|line| line.eq_ignore_ascii_case(&status));
    assert!(reply.status == 200 && is_told, "{reply:?}");
    others_are_served(site, &[], "a call over HTTP/1.1");
}
