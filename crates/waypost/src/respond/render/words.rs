//! The sentences around a result: that something is done, what its server said, what is not certain.

use waypost_core::error::Error;
use waypost_core::ports::tools::ToolResult;
use waypost_core::records::access::Access;
use waypost_core::records::write::WriteEnd;
use waypost_text::language::Language;

use super::plain;
use crate::pack::messages::{Messages, Sentence};
use crate::respond::execution::WriteState;

/// The parts of the sentences about a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'a> {
    /// Waypost's own sentences.
    pub(crate) messages: &'a Messages,
    /// The user's language.
    pub(crate) language: Language,
    /// The tool.
    pub(crate) tool: &'a str,
    /// Its access to the world.
    pub(crate) access: Access,
}

impl Words<'_> {
    fn say(&self, name: &'static str) -> String {
        self.messages.say(self.language, &Sentence::new(name).with("tool", self.tool))
    }

    /// The words for a result without a line of the pack. A call that changed something is told as
    /// done, whatever came back; `odd` says that this is not what was expected.
    pub(crate) fn result(&self, result: &ToolResult, odd: bool) -> String {
        let shown = plain::shown(result, self.messages, self.language);
        let changes = self.access != Access::Read;
        let mut sentences = Vec::new();
        if changes && (odd || shown.is_empty()) {
            sentences.push(self.say("result_done"));
        }
        match (odd, shown.is_empty()) {
            (_, true) if !changes => sentences.push(self.say("result_empty")),
            (_, true) => {}
            (true, false) => sentences.push(format!("{}\n{shown}", self.say("result_odd"))),
            (false, false) => sentences.push(shown),
        }
        sentences.join(" ")
    }

    /// The words for a call that failed: our sentence, and the server's words in quotation marks. Of
    /// a change that may have been made all the same, and of one that was not begun, they say that.
    pub(crate) fn failure(&self, error: &Error, write: Option<WriteState>) -> String {
        match write {
            Some(WriteState::Spent) => return self.say("approval_spent"),
            Some(WriteState::Unrecorded) => return self.say("not_recorded"),
            Some(WriteState::Ended(WriteEnd::Unknown)) => return self.say("maybe_done"),
            Some(WriteState::Ended(_)) | None => {}
        }
        let mut sentences = vec![self.messages.tool_error(self.language, error.code(), self.tool)];
        if let Some(words) = error.words() {
            let says = Sentence::new("server_says").with("words", words);
            sentences.push(self.messages.say(self.language, &says));
        }
        sentences.join(" ")
    }

    /// The words for a call that was stopped since its server now hints at more.
    pub(crate) fn stopped(&self, became: Access) -> String {
        match became {
            Access::Destructive => self.say("became_destructive"),
            Access::Read | Access::Write => self.say("became_write"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use waypost_core::error::Code;

    use super::*;

    fn words(access: Access, check: impl Fn(&Words<'_>) -> String) -> String {
        let messages = Messages::default();
        check(&Words { messages: &messages, language: Language::En, tool: "note.add", access })
    }

    #[test]
    fn a_write_is_told_as_done_whatever_came_back() {
        let nothing = ToolResult::default();
        let write = |odd| words(Access::Write, |words| words.result(&nothing, odd));
        assert_eq!(write(false), "“note.add” is done.");
        assert_eq!(write(true), "“note.add” is done.");
        let odd = ToolResult::from(json!({ "id": 7 }));
        assert_eq!(
            words(Access::Write, |words| words.result(&odd, true)),
            "“note.add” is done. The answer of “note.add” has a form that was not expected:\nid: 7"
        );
        assert_eq!(words(Access::Write, |words| words.result(&odd, false)), "id: 7");
        assert_eq!(
            words(Access::Read, |words| words.result(&nothing, false)),
            "“note.add” ran and returned nothing."
        );
    }

    #[test]
    fn each_failure_of_a_tool_says_which_tool_it_was() {
        let messages = Messages::default();
        for language in Language::ALL {
            let (tool, access) = ("list_boats", Access::Read);
            let words = Words { messages: &messages, language, tool, access };
            for code in Code::all() {
                let said = words.failure(&Error::new(code, "x"), None);
                assert!(said.contains(tool), "{language} {code}: {said}");
            }
        }
        let missing = Error::new(Code::NotFound, "x").with_words("no boat is called Ana");
        assert_eq!(
            words(Access::Read, |words| words.failure(&missing, None)),
            "“note.add” found nothing. The server says: “no boat is called Ana”"
        );
    }

    #[test]
    fn a_servers_words_are_quoted_and_a_lost_answer_is_no_failure() {
        let failure =
            |error: &Error, write| words(Access::Write, |words| words.failure(error, write));
        let said = Error::new(Code::Internal, "x").with_words("fatal: bad revision");
        assert_eq!(
            failure(&said, Some(WriteState::Ended(WriteEnd::Failed))),
            "“note.add” failed. The server says: “fatal: bad revision”"
        );
        // "Please try again later" would have it done twice.
        let late = Error::new(Code::DeadlineExceeded, "x");
        assert_eq!(
            failure(&late, Some(WriteState::Ended(WriteEnd::Unknown))),
            "It is not certain whether “note.add” has done its work; check before you ask for it again."
        );
        assert!(failure(&late, None).contains("later"));
        assert!(failure(&late, Some(WriteState::Spent)).contains("once already"));
        assert!(failure(&late, Some(WriteState::Unrecorded)).contains("was not run"));
    }
}
