//! The golden file of runs: what a store keeps of the work on a plan.

use serde_json::json;
use waypost_core::Code;
use waypost_core::records::decision::Call;
use waypost_core::records::request::Request;
use waypost_core::records::run::{Run, RunEnd, RunStep};

use crate::golden::{Golden, object};

fn step() -> RunStep {
    RunStep {
        tool: "channel_finding".to_owned(),
        arguments: object(json!({ "channel": "RING:BEAM:CURRENT" })),
        output: Some(json!({ "addresses": ["RING:BEAM:CURRENT"] })),
        code: Some(Code::Unavailable),
        began_ms: 0.25,
        took_ms: 12.5,
    }
}

fn full() -> Run {
    let request = Request { session: Some("s1".to_owned()), ..Request::new("plot the current") };
    let call = Call {
        tool: "channel_finding".to_owned(),
        arguments: object(json!({ "channel": "RING:BEAM:CURRENT" })),
        evidence: [].into(),
    };
    Run {
        id: "0123456789abcdef".to_owned(),
        pack: "accelerator".to_owned(),
        request,
        owner: Some("00000001".to_owned()),
        calls: vec![call],
        steps: vec![step()],
        end: Some(RunEnd::Cancelled),
        era: Default::default(),
    }
}

/// The golden file of a run.
pub(crate) fn golden() -> Golden {
    Golden::new("run.json", &["Run", "RunStep"])
        .with("full", &full())
        .with("minimal", &Run { owner: None, steps: Vec::new(), end: None, ..full() })
        .with("step, minimal", &RunStep { output: None, code: None, ..step() })
}
