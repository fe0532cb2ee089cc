//! The sentences around a result: that something is done, what its server said, what is not certain.

use waypost_core::error::{Code, Error, Severity};
use waypost_core::ports::tools::ToolResult;
use waypost_core::records::access::Access;
use waypost_text::language::Language;

use super::plain;
use crate::pack::messages::{Messages, Sentence};

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

    /// The words for a call that failed: our sentence, the server's words in quotation marks, and
    /// for a change whether it may have been made all the same.
    pub(crate) fn failure(&self, error: &Error) -> String {
        let own = match (error.code(), error.words()) {
            (Code::Internal, Some(_)) => self.say("tool_failed"),
            (code, _) => self.messages.error(self.language, code),
        };
        let mut sentences = vec![own];
        if let Some(words) = error.words() {
            let says = Sentence::new("server_says").with("words", words);
            sentences.push(self.messages.say(self.language, &says));
        } else if self.access != Access::Read && is_unanswered(error) {
            sentences.push(self.say("maybe_done"));
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

/// Returns whether a call was made and its answer was lost: the connection broke off, or it was too
/// late or too large.
fn is_unanswered(error: &Error) -> bool {
    error.severity() == Severity::Retriable || error.code() == Code::ResourceExhausted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
    fn a_servers_words_are_quoted_and_a_lost_answer_is_no_failure() {
        let failure = |access, error: &Error| words(access, |words| words.failure(error));
        let said = Error::new(Code::Internal, "x").with_words("fatal: bad revision");
        assert_eq!(
            failure(Access::Write, &said),
            "“note.add” failed. The server says: “fatal: bad revision”"
        );
        let late = Error::new(Code::DeadlineExceeded, "x");
        assert!(failure(Access::Write, &late).contains("not certain whether “note.add”"));
        assert!(!failure(Access::Read, &late).contains("not certain"));
        let missing = Error::unavailable("x").with_severity(Severity::Critical);
        assert!(!failure(Access::Write, &missing).contains("not certain"));
    }
}
