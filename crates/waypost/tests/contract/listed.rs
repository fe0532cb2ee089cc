//! Packs that are made of what servers list: several questions, and what a model is told of very many tools.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use waypost::decide::cascade::Recall;
use waypost::pack::Pack;
use waypost::ports::model::Slot;
use waypost::student::heads::train_student;
use waypost::tokens;

use crate::contract::lessons::{asked, block_on, decided, office, tool};
use crate::contract::parts::{Trained, world, world_of};

#[test]
fn two_questions_get_a_call_each() {
    let world = world(&office(), &["linear"]);
    let decision = decided(&world, "show the plan of the berths and list the pilots on duty");
    let tools: Vec<&str> = decision.calls.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools, ["berth_plan", "pilot_roster"], "{decision:?}");
    let one = decided(&world, "show the pilots on duty and at sea");
    assert_eq!(one.calls.len(), 1, "{one:?}");
}

/// A yard of 400 machines, each with a tool of its own.
fn yard() -> Trained {
    let tools: Vec<_> = (0..400)
        .map(|number| {
            let words =
                format!("Stops the machine {number} of the yard and says why it was stopped.");
            tool(&format!("stop_machine_{number}"), &words)
        })
        .chain([tool("moor_vessel", "Moors a vessel at a berth.")])
        .collect();
    let pack = Pack::listed("yard", &tools).unwrap();
    let bundle = train_student(&pack, None, &mut |_| {}).unwrap();
    Trained { pack: Arc::new(pack), bundle: Arc::new(bundle) }
}

#[test]
fn a_model_is_told_the_likeliest_of_very_many_tools_in_summaries() {
    let trained = yard();
    let recall = Arc::new(Recall::of(&trained.pack.spec.policy));
    let world = world_of(&trained, &["linear", "llm"], &[Slot::Main], &recall);
    let cancel = CancellationToken::new();
    let request = asked("something about the ferry and a place for it", "ana");
    // The scripted model knows none of these tools; what it was asked is what counts.
    let _ = block_on(world.router.route(&request, &cancel));
    let (prompts, _) = world.main.take();
    let prompt: String =
        prompts[0].messages.iter().map(|message| message.content.as_str()).collect();
    assert!(prompt.contains("moor_vessel"), "{prompt}");
    assert!(2 * tokens::count(&prompt) < trained.pack.tool_tokens(), "{prompt}");
}
