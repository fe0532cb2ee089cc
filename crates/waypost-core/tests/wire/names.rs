//! The words of every enumeration without fields.

use waypost_core::ports::model::{Slot, Speaker};
use waypost_core::records::access::Access;
use waypost_core::records::decision::{Complexity, LayerName, Outcome, Source, Strategy, TaskBy};
use waypost_core::records::event::{ContractRule, Purpose, Status};
use waypost_core::records::label::LabelKind;
use waypost_core::records::rollout::Setting;
use waypost_core::records::run::RunEnd;
use waypost_core::{Code, Severity};
use waypost_text::language::Language;

use crate::golden::{Golden, written};

/// Every variant of an enumeration without fields; one that is not named does not compile.
macro_rules! every {
    ($type:ident: $($variant:ident),+) => {{
        let all = vec![$($type::$variant),+];
        for value in &all {
            match value {
                $($type::$variant => {})+
            }
        }
        all
    }};
}

/// The golden files of this module.
pub(crate) fn goldens() -> Vec<Golden> {
    vec![words(), setting()]
}

fn words() -> Golden {
    let types = [
        "Access",
        "Code",
        "Complexity",
        "ContractRule",
        "LabelKind",
        "Language",
        "LayerName",
        "Outcome",
        "Purpose",
        "RunEnd",
        "Severity",
        "Slot",
        "Source",
        "Speaker",
        "Status",
        "Strategy",
        "TaskBy",
    ];
    let codes = every!(Code: Cancelled, InvalidArgument, DeadlineExceeded, NotFound,
        PermissionDenied, ResourceExhausted, FailedPrecondition, Unimplemented, Internal,
        Unavailable);
    let severities = every!(Severity: Retriable, Replan, Reclassify, Critical, Fatal);
    let kinds = every!(LabelKind: Teacher, Audit, Choice, Correction, Feedback);
    Golden::new("names.json", &types)
        .with("Access", &every!(Access: Read, Write, Destructive))
        .with("Code", &codes)
        .with("Complexity", &every!(Complexity: Simple, Medium, Complex))
        .with("ContractRule", &every!(ContractRule: Rc01, Rc03, Rc04, Rc05))
        .with("LabelKind", &kinds)
        .with(
            "Language",
            &every!(
                Language: En, ZhHant, ZhHans, Vi, Es, Fr, Pt, De, Ja, Id
            ),
        )
        .with("LayerName", &every!(LayerName: Declared, Rules, Recall, Linear, Llm))
        .with("Outcome", &every!(Outcome: Run, Clarify, Rephrase, Refuse))
        .with("Purpose", &every!(Purpose: Decide, Read, Write, Shadow, Audit))
        .with("RunEnd", &every!(RunEnd: Done, Stopped, Cancelled, Abandoned))
        .with("Severity", &severities)
        .with("Slot", &every!(Slot: Main, Light))
        .with("Source", &every!(Source: Span, Memory, Default, Option, Llm, Caller))
        .with("Speaker", &every!(Speaker: System, User, Assistant))
        .with("Status", &every!(Status: Success, Error))
        .with("Strategy", &every!(Strategy: Direct, Iterative, Parallel))
        .with("TaskBy", &every!(TaskBy: Words, Model))
}

fn setting() -> Golden {
    let share = written(serde_json::json!("12.5%"));
    let settings = vec![Setting::Off, Setting::Shadow, Setting::On, Setting::Share(share)];
    for setting in &settings {
        match setting {
            Setting::Off | Setting::Shadow | Setting::On | Setting::Share(_) => {}
        }
    }
    Golden::new("setting.json", &["Setting", "Share"])
        .with("every", &settings)
        .with("minimal", &Setting::Off)
}
