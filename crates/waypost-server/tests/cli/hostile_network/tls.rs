//! Clients of a port of TLS that do not shake hands: each is let go of in time, and others are
//! served beside it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::{IMPATIENT, JSON, Reply, SOON, connect, heard, question, request, start};
use crate::serve::{Serving, Site};
use crate::support::Home;

/// A certificate for `localhost`, from 2020 to 2120, and its key, made with `openssl ca -selfsign`.
/// Nobody trusts it but the client below.
const CERTIFICATE: &str = include_str!("localhost.pem");
const KEY: &str = include_str!("localhost.key.pem");

/// Starts a server that speaks TLS alone, and has a second of patience.
fn secured(home: &Home) -> Serving {
    home.write("waypost.toml", IMPATIENT);
    home.write("certificate.pem", CERTIFICATE);
    home.write("key.pem", KEY);
    let path = |name: &str| home.path(name).to_string_lossy().into_owned();
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    start(home, &["--tls-cert", &certificate, "--tls-key", &key])
}

/// A client that is about to shake hands.
fn client() -> ClientConnection {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CERTIFICATE.as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    ClientConnection::new(Arc::new(config), ServerName::try_from("localhost").unwrap()).unwrap()
}

/// Sends a request over TLS, and returns the answer.
fn send(site: Site, bytes: &[u8]) -> Reply {
    let mut stream = StreamOwned::new(client(), connect(site));
    stream.write_all(bytes).unwrap();
    let mut said = Vec::new();
    // Whether TLS says farewell does not matter here: an answer that is cut off is none.
    let _ = stream.read_to_end(&mut said);
    Reply::of(&said)
}

#[track_caller]
fn others_are_served(site: Site, beside: &str) {
    let reply = send(site, &request("GET", "/healthz", &[], b""));
    assert_eq!((reply.status, reply.body.as_str()), (200, "ok\n"), "beside {beside}: {reply:?}");
    let reply = send(site, &request("POST", "/v1/route", &[JSON], question().as_bytes()));
    assert_eq!(reply.status, 200, "beside {beside}: {reply:?}");
}

/// The bytes of clients by their names; nothing comes behind them.
fn clients() -> Vec<(&'static str, Vec<u8>)> {
    let mut hello = Vec::new();
    client().write_tls(&mut hello).unwrap();
    let half = hello[..hello.len() / 2].to_vec();
    vec![
        ("one that says nothing", Vec::new()),
        ("half a hello", half),
        ("a hello and no more", hello),
        ("a record that does not come", b"\x16\x03\x03\x40\x00".to_vec()),
        ("a record longer than any", b"\x16\x03\x03\xff\xff".to_vec()),
        ("garbage", b"\x01\x02hello\r\n\r\n".to_vec()),
        ("a megabyte of nothing", vec![0; 1024 * 1024]),
        ("words before the handshake", b"\x17\x03\x03\x00\x05hello".to_vec()),
        ("a fatal alert", b"\x15\x03\x03\x00\x02\x02\x28".to_vec()),
        ("HTTP without TLS", request("GET", "/healthz", &[], b"")),
        ("HTTP/2 without TLS", waypost_testing::http2::PREFACE.to_vec()),
    ]
}

#[test]
fn who_does_not_shake_hands_is_let_go_of_in_time_and_others_are_served() {
    let home = Home::untrained();
    let serving = secured(&home);
    let site = serving.site;
    let mut waiting: Vec<(&str, TcpStream)> = Vec::new();
    for (name, bytes) in clients() {
        let mut stream = connect(site);
        // What comes behind bytes that are no TLS is not taken.
        let _ = stream.write_all(&bytes);
        waiting.push((name, stream));
        others_are_served(site, name);
    }
    let name = "a handshake and no more";
    let mut stream = connect(site);
    client().complete_io(&mut stream).unwrap();
    waiting.push((name, stream));
    others_are_served(site, name);
    for (name, stream) in &mut waiting {
        stream.set_read_timeout(Some(SOON)).unwrap();
        let said = heard(stream, name);
        assert!(!String::from_utf8_lossy(&said).contains("HTTP/"), "{name}: {said:?}");
    }
    others_are_served(site, "all of them");
}
