//! `grpc.health.v1.Health/Check`: what `/readyz` says, for those who ask over gRPC. Source: "GRPC Health Checking Protocol".
//!
//! Its `Watch` is not there; the protocol has clients then ask again.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::response::Response;
use futures_util::future::BoxFuture;
use prost::Message;
use tonic::server::{Grpc, UnaryService};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use super::super::problem::Problem;
use super::super::{Served, endpoints};
use super::generated::assistant_server::SERVICE_NAME;
use super::whole;

/// The longest request, in bytes: the name of a service.
const MAX_BYTES: usize = 1024;
/// The two of the states that there are here.
const SERVING: i32 = 1;
const NOT_SERVING: i32 = 2;

#[derive(Clone, PartialEq, Message)]
struct Asked {
    /// The full name of a service; empty for the server as a whole.
    #[prost(string, tag = "1")]
    service: String,
}

#[derive(Clone, PartialEq, Message)]
struct Health {
    /// The state, an enumeration.
    #[prost(int32, tag = "1")]
    status: i32,
}

/// Says how the server is.
pub(super) async fn check(
    State(served): State<Arc<Served>>,
    request: HttpRequest,
) -> Result<Response, Problem> {
    let (head, bytes) = whole(&served, request, MAX_BYTES).await?;
    let request = HttpRequest::from_parts(head, Body::from(bytes));
    let mut grpc = Grpc::new(ProstCodec::<Health, Asked>::default());
    Ok(grpc.unary(Check(served), request).await.map(Body::new))
}

struct Check(Arc<Served>);

impl UnaryService<Asked> for Check {
    type Response = Health;
    type Future = BoxFuture<'static, Result<tonic::Response<Health>, Status>>;

    fn call(&mut self, request: Request<Asked>) -> Self::Future {
        let served = Arc::clone(&self.0);
        Box::pin(async move {
            let service = request.into_inner().service;
            if !service.is_empty() && service != SERVICE_NAME {
                return Err(Status::not_found("there is no such service"));
            }
            let ready = endpoints::readyz(State(served)).await.is_ok();
            let status = if ready { SERVING } else { NOT_SERVING };
            Ok(tonic::Response::new(Health { status }))
        })
    }
}
