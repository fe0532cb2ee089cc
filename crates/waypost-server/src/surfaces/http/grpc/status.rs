//! The status of a call that was not served, in the words of gRPC.
//!
//! The codes of errors are those of gRPC already. The hint stands twice: in the metadata for people, and with the place of
//! the fault in the details for programs, in the model that gRPC's clients know.

use std::fmt::Write;

use axum::http::StatusCode;
use prost::Message;
use prost_types::Any;
use tonic::metadata::{AsciiMetadataValue, MetadataMap};
use tonic::{Code, Status};

use super::super::problem::Problem;
use super::generated::Fault;
use super::records;

/// The metadata in which a hint stands, percent-encoded as `grpc-message` is.
const HINT: &str = "waypost-hint";
/// The type of the details.
const FAULT: &str = "type.googleapis.com/waypost.v1.Fault";

/// `google.rpc.Status`, as the details of a status hold it.
#[derive(Clone, PartialEq, Message)]
struct Details {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

/// The status that says a problem.
pub(super) fn of(problem: &Problem) -> Status {
    let fault = records::fault(&problem.record());
    let code = match problem.status() {
        // The one code of gRPC that errors have not: nobody knows who asks.
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        // Elsewhere gRPC calls so what is too large.
        StatusCode::PAYLOAD_TOO_LARGE => Code::ResourceExhausted,
        _ => waypost::Code::from_name(&fault.code).map_or(Code::Unknown, code),
    };
    status(code, &fault)
}

/// The status of a call for a method that there is not; gRPC wants `UNIMPLEMENTED` where HTTP says 404.
pub(super) fn no_method(problem: &Problem) -> Status {
    let code = waypost::Code::Unimplemented.name().to_owned();
    status(Code::Unimplemented, &Fault { code, ..records::fault(&problem.record()) })
}

fn status(code: Code, fault: &Fault) -> Status {
    let mut metadata = MetadataMap::new();
    if !fault.hint.is_empty()
        && let Ok(hint) = encoded(&fault.hint).parse::<AsciiMetadataValue>()
    {
        metadata.insert(HINT, hint);
    }
    let details = Details {
        code: code as i32,
        message: fault.message.clone(),
        details: vec![Any { type_url: FAULT.to_owned(), value: fault.encode_to_vec() }],
    };
    let details = details.encode_to_vec().into();
    Status::with_details_and_metadata(code, fault.message.clone(), details, metadata)
}

/// The code of gRPC that bears the same name.
fn code(code: waypost::Code) -> Code {
    match code {
        waypost::Code::Cancelled => Code::Cancelled,
        waypost::Code::InvalidArgument => Code::InvalidArgument,
        waypost::Code::DeadlineExceeded => Code::DeadlineExceeded,
        waypost::Code::NotFound => Code::NotFound,
        waypost::Code::PermissionDenied => Code::PermissionDenied,
        waypost::Code::ResourceExhausted => Code::ResourceExhausted,
        waypost::Code::FailedPrecondition => Code::FailedPrecondition,
        waypost::Code::Unimplemented => Code::Unimplemented,
        waypost::Code::Internal => Code::Internal,
        waypost::Code::Unavailable => Code::Unavailable,
    }
}

/// A text in the ASCII that metadata may hold.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'%' => encoded.push(char::from(byte)),
            _ => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use waypost::Error;

    use super::*;

    #[test]
    fn a_status_has_the_code_the_sentence_and_the_hint() {
        let error = Error::invalid("`/now`: no instant").with_hint("send {\"now\": \"…\"}, 100%");
        let status = of(&Problem::from(&error).at(Some("/now".to_owned())));
        assert_eq!(
            (status.code(), status.message()),
            (Code::InvalidArgument, "`/now`: no instant")
        );
        let hint = status.metadata().get(HINT).unwrap().to_str().unwrap();
        assert_eq!(hint, "send {\"now\": \"%E2%80%A6\"}, 100%25");
        let details = Details::decode(status.details()).unwrap();
        assert_eq!((details.code, details.details[0].type_url.as_str()), (3, FAULT));
        let fault = Fault::decode(details.details[0].value.as_slice()).unwrap();
        assert_eq!((fault.code.as_str(), fault.pointer.as_str()), ("INVALID_ARGUMENT", "/now"));
        assert_eq!(fault.hint, error.hint().unwrap());
    }

    #[test]
    fn every_code_keeps_its_name_and_who_is_not_known_is_unauthenticated() {
        for (own, name) in [
            (waypost::Code::Cancelled, Code::Cancelled),
            (waypost::Code::NotFound, Code::NotFound),
            (waypost::Code::ResourceExhausted, Code::ResourceExhausted),
            (waypost::Code::Unavailable, Code::Unavailable),
        ] {
            assert_eq!(of(&Problem::from(&Error::new(own, "x"))).code(), name);
        }
        let error = Error::new(waypost::Code::PermissionDenied, "there is no key");
        assert_eq!(of(&Problem::from(&error)).code(), Code::PermissionDenied);
        let unknown = Problem::new(StatusCode::UNAUTHORIZED, &error);
        assert_eq!(of(&unknown).code(), Code::Unauthenticated);
        assert_eq!(no_method(&Problem::from(&error)).code(), Code::Unimplemented);
    }
}
