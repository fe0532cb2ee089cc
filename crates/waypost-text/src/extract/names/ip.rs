//! Addresses of hosts and networks in numbers: `10.0.0.1`, `fe80::1`, `10.0.0.0/8`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;

use super::run::{found, run};

/// Finds the address of a host or a network.
pub(crate) fn ip(cursor: &mut Cursor<'_>) -> Option<Found> {
    if !matches!(cursor.shape()?, Shape::Digits | Shape::Word) && cursor.peek_symbol() != Some(':')
    {
        return None;
    }
    let address = run(cursor, |before, sign| match sign {
        '.' => true,
        ':' => before.is_empty() || before.contains(':') || is_hexadecimal(before),
        '/' => !before.contains('/'),
        _ => false,
    })?;
    let (host, network) =
        address.split_once('/').map_or((address, None), |(host, bits)| (host, Some(bits)));
    let host: IpAddr = match host.parse::<Ipv4Addr>() {
        Ok(address) => address.into(),
        Err(_) => host.parse::<Ipv6Addr>().ok()?.into(),
    };
    let most = if host.is_ipv4() { 32 } else { 128 };
    let is_network = |bits: &str| bits.parse::<u8>().is_ok_and(|bits| bits <= most);
    network.is_none_or(is_network).then(|| found(Kind::Ip, address))
}

fn is_hexadecimal(text: &str) -> bool {
    text.len() <= 4 && text.bytes().all(|b| b.is_ascii_hexdigit())
}
