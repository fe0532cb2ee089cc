//! What people say of decisions counts from the next question on, where tools are chosen by what is written about them.

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use waypost::feedback::Feedback;
use waypost::pack::Pack;
use waypost::pack::spec::Access;
use waypost::ports::store::Store as _;
use waypost::ports::tools::ToolDescription;
use waypost::records::decision::{Decision, Outcome};
use waypost::records::request::Request;
use waypost::router::AnswerOptions;
use waypost::student::heads::train_student;

use crate::contract::parts::{Trained, World, world};

/// A tool that reads.
pub(crate) fn tool(name: &str, description: &str) -> (ToolDescription, Access) {
    let described = ToolDescription {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({ "type": "object" }),
        ..ToolDescription::default()
    };
    (described, Access::Read)
}

/// A harbour office whose server says little of its tools.
pub(crate) fn office() -> Trained {
    let tools = [
        tool("berth_plan", "The plan of the berths."),
        tool("crane_hours", "The hours of the cranes."),
        tool("pilot_roster", "The pilots on duty."),
    ];
    let pack = Pack::listed("harbour", &tools).unwrap();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    Trained { pack: Arc::new(pack), bundle: Arc::new(bundle) }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

pub(crate) fn asked(text: &str, session: &str) -> Request {
    let mut request = Request::new(text);
    request.now = Some("2026-03-12T09:00:00+08:00".to_owned());
    request.session = Some(session.to_owned());
    request
}

pub(crate) fn decided(world: &World, text: &str) -> Decision {
    let cancel = CancellationToken::new();
    block_on(world.router.route(&asked(text, "other"), &cancel)).unwrap()
}

/// Answers a text in a session, and has somebody say that a tool was meant.
fn corrected(world: &World, text: &str, session: &str, tool: &str) {
    said_of(world, text, session, Feedback { tools: vec![tool.to_owned()], ..Feedback::default() });
}

/// Answers a text in a session, and has somebody say of it what was right.
fn said_of(world: &World, text: &str, session: &str, said: Feedback) {
    let cancel = CancellationToken::new();
    let (out, _parts) = tokio::sync::mpsc::channel(16);
    let request = asked(text, session);
    let answer = world.router.answer(&request, AnswerOptions::default(), &out, &cancel);
    let answer = block_on(answer).unwrap();
    let feedback = Feedback { decision_id: answer.id, session: Some(session.to_owned()), ..said };
    block_on(world.router.feedback(&feedback)).unwrap();
}

fn first_tool(decision: &Decision) -> Option<&str> {
    decision.calls.first().map(|call| call.tool.as_str())
}

#[test]
fn a_correction_changes_the_next_question_that_says_nearly_the_same() {
    let world = world(&office(), &["linear"]);
    let text = "who brings the tanker in tonight";
    assert_ne!(first_tool(&decided(&world, text)), Some("pilot_roster"));
    corrected(&world, text, "ana", "pilot_roster");
    let again = decided(&world, "who brings the tanker in this evening");
    assert_eq!(first_tool(&again), Some("pilot_roster"), "{again:?}");
    let other = decided(&world, "show the plan of the berths");
    assert_eq!(first_tool(&other), Some("berth_plan"), "{other:?}");
}

#[test]
fn what_was_said_before_a_start_counts_after_it() {
    let first = world(&office(), &["linear"]);
    let text = "who brings the tanker in tonight";
    corrected(&first, text, "ana", "pilot_roster");
    let second = world(&office(), &["linear"]);
    block_on(second.store.save_labels(&first.store.take_labels())).unwrap();
    block_on(second.router.read_lessons()).unwrap();
    assert_eq!(first_tool(&decided(&second, text)), Some("pilot_roster"));
}

/// Returns whether a text leads to the pilots, as somebody said that it should.
fn counts(world: &World, text: &str) -> bool {
    first_tool(&decided(world, text)) == Some("pilot_roster")
}

#[test]
fn what_a_forgotten_conversation_said_counts_no_more_and_what_it_says_anew_does() {
    let world = world(&office(), &["linear"]);
    let (text, other) =
        ("who brings the tanker in tonight", "who guides the ferry through the fog");
    corrected(&world, text, "ana", "pilot_roster");
    corrected(&world, other, "ben", "pilot_roster");
    assert!(counts(&world, text) && counts(&world, other));
    // As another process would: the store is all that says so.
    world.store.forget_of("ana");
    assert!(!counts(&world, text) && counts(&world, other));
    corrected(&world, text, "ana", "pilot_roster");
    assert!(counts(&world, text) && counts(&world, other));
}

#[test]
fn what_was_read_from_a_store_is_let_go_of_when_it_is_forgotten() {
    let first = world(&office(), &["linear"]);
    let text = "who brings the tanker in tonight";
    corrected(&first, text, "ana", "pilot_roster");
    let second = world(&office(), &["linear"]);
    block_on(second.store.save_labels(&first.store.take_labels())).unwrap();
    second.store.forget_of("somebody");
    block_on(second.router.read_lessons()).unwrap();
    second.store.forget_of("another");
    assert!(counts(&second, text));
    second.store.forget_of("ana");
    assert!(!counts(&second, text));
}

#[test]
fn what_is_said_expressly_counts_however_much_a_conversation_says() {
    let world = world(&office(), &["linear"]);
    let text = "who brings the tanker in tonight";
    corrected(&world, text, "ana", "pilot_roster");
    for number in 0..10 {
        corrected(&world, &format!("lamp {number}"), "ana", "crane_hours");
    }
    assert_eq!(first_tool(&decided(&world, text)), Some("pilot_roster"));
}

#[test]
fn what_is_said_to_be_out_of_scope_is_refused_the_next_time() {
    let world = world(&office(), &["linear"]);
    let text = "the plan of the berths of the museum";
    assert_eq!(first_tool(&decided(&world, text)), Some("berth_plan"));
    said_of(
        &world,
        text,
        "ana",
        Feedback { route: Some("out_of_scope".to_owned()), ..Feedback::default() },
    );
    let again = decided(&world, text);
    assert_eq!((again.decision, first_tool(&again)), (Outcome::Refuse, None), "{again:?}");
    let other = decided(&world, "the plan of the berths");
    assert_eq!(first_tool(&other), Some("berth_plan"), "{other:?}");
}
