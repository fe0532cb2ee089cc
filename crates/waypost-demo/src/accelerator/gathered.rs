//! `state_manager`: what a conversation has gathered, as far as this server was told.
//!
//! The other tools do not know which conversation calls them, so that only calls of this one put
//! anything in.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::words::Text;
use super::{finish, memory, schema};
use crate::pack::{Context, Failure, Reply, Tool, read};

/// The conversation of a caller who does not say which it is.
const NOBODY: &str = "anonymous";

/// Words that ask to forget all, folded.
const CLEAR: &str = "clear*|reset*|forget*|wipe*|erase*|delete*|drop|start over|清|忘|重置|重設|重设|刪|删|\
    xoa|don sach|lam moi|quen|borr*|limpi*|olvid*|reinici*|elimin*|vacia*";

/// Words that ask for the contrary.
const KEEP: &str = "don t forget|do not forget|never forget|別忘|别忘|不要忘|dung quen|no olvid*";

pub(super) fn tool() -> Tool {
    Tool {
        name: "state_manager",
        description: "Shows what this conversation was told to have gathered, adds a line where \
                      the task asks to remember one, or clears it all.",
        input: schema::input(json!({
            "task": schema::task(),
            "session_id": schema::text("Which conversation."),
        })),
        output: schema::output(
            json!({
                "gathered": schema::list(json!({"type": "string"})),
                "cleared": schema::flag("Whether all was forgotten."),
            }),
            json!({}),
        ),
        call: state_manager,
    }
}

#[derive(Debug, Deserialize)]
struct Arguments {
    #[serde(default)]
    task: String,
    session_id: Option<String>,
}

fn state_manager(arguments: &Map<String, Value>, context: &Context) -> Result<Reply, Failure> {
    let Arguments { task, session_id } = read(arguments)?;
    let session = session_id.as_deref().unwrap_or(NOBODY);
    let server = &context.ring;
    let text = Text::new(&task);
    let cleared = text.says(CLEAR) && !text.says(KEEP);
    if cleared {
        server.gathered.clear(session);
    } else if let Some(line) = memory::wish(&task) {
        server.gathered.add(session, line);
    }
    let result = json!({"gathered": server.gathered.lines(session), "cleared": cleared});
    Ok(finish(result, Vec::new()))
}
