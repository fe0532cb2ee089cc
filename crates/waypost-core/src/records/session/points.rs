//! Chooses the memory with which a turn begins. A conversation has one memory for each pack that it talks to, and one for each
//! of the latest points that its client may go on from.

use serde_json::{Map, Value};

use super::Session;

/// The most memories beside the latest one. People go back a few answers, to have one made again or to put a question in
/// other words, and every turn writes all of them.
const MAX_BESIDE: usize = 16;

impl Session {
    /// Returns the memory with which a turn of `pack` begins: the one after the decision `after`, or the latest with this pack.
    ///
    /// A point can be gone on from more than once, so its memory stays beside the one that is returned. A memory with another
    /// pack waits there, too. Only its question for an approval does not: a yes is for what the conversation showed last.
    ///
    /// If the memory is not there any more, the turn begins without an open question, because the latest one may be
    /// about something that this client has never seen.
    #[must_use]
    pub fn for_turn(mut self, pack: &str, after: Option<&str>) -> Self {
        let era = self.era;
        let flags = self.latest_flags(pack);
        let mut beside = std::mem::take(&mut self.beside);
        let is_own = self.pack.as_deref().is_none_or(|own| own == pack);
        let is_there = |memory: &Self| after.is_none() || memory.point.as_deref() == after;
        let memory = if is_own && is_there(&self) {
            if after.is_some() {
                beside.push(self.clone());
            }
            self
        } else {
            let fresh = self.begun_anew(is_own);
            if !is_own {
                self.close_approval();
            }
            if self.pack.is_some() {
                beside.push(self);
            }
            let is_wanted = |own: &Self| own.pack.as_deref() == Some(pack) && is_there(own);
            match beside.iter().rposition(is_wanted) {
                Some(at) => {
                    let found = beside.remove(at);
                    if after.is_some() {
                        beside.push(found.clone());
                    }
                    found
                }
                None => fresh,
            }
        };
        while beside.len() > MAX_BESIDE {
            beside.remove(least_needed(&beside));
        }
        Self { era, beside, flags: flags.unwrap_or_default(), ..memory }
    }

    /// The flags of the latest turn with a pack. They say what has been done, which no point of before undoes.
    fn latest_flags(&self, pack: &str) -> Option<Map<String, Value>> {
        let all = std::iter::once(self).chain(self.beside.iter().rev());
        let mut own = all.filter(|memory| memory.pack.as_deref().is_none_or(|own| own == pack));
        own.next().map(|memory| memory.flags.clone())
    }

    /// A memory without a turn. With the same pack, what its tools and commands have set still holds.
    fn begun_anew(&self, is_own: bool) -> Self {
        let fresh = Self { language: self.language, ..Self::default() };
        if !is_own {
            return fresh;
        }
        Self { flags: self.flags.clone(), switches: self.switches.clone(), ..fresh }
    }

    fn close_approval(&mut self) {
        let approves =
            |value: &Value| value.get("approve").is_some() || value.get("plan").is_some();
        let asks = self
            .pending
            .as_ref()
            .is_some_and(|pending| pending.options.iter().any(|choice| approves(&choice.value)));
        if asks {
            self.pending = None;
        }
    }
}

/// The place of the memory that was used longest ago and is not the last one with its pack.
pub(super) fn least_needed(beside: &[Session]) -> usize {
    let is_last = |at: usize| beside[at + 1..].iter().all(|later| later.pack != beside[at].pack);
    (0..beside.len()).find(|at| !is_last(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A memory after a point, which asks a question with one choice.
    fn memory(pack: &str, point: &str, choice: &Value) -> Session {
        let pending = json!({
            "tool": "t", "argument": null, "arguments": {}, "options": [{ "label": "1", "value": choice }],
        });
        serde_json::from_value(json!({
            "pack": pack, "point": point, "language": "en", "flags": { "done": true }, "pending": pending,
        }))
        .unwrap()
    }

    fn question(session: &Session) -> Option<&Value> {
        session.pending.as_ref().map(|pending| &pending.options[0].value)
    }

    /// The conversation once a turn has been made of `session`, which asks another question.
    fn went_on(session: Session, pack: &str, point: &str) -> Session {
        Session { beside: session.beside, ..memory(pack, point, &json!(point)) }
    }

    #[test]
    fn a_point_is_gone_on_from_as_often_as_somebody_does() {
        let mut session = memory("p", "a", &json!("a"));
        for point in ["b", "c", "d"] {
            let own = session.for_turn("p", Some("a"));
            assert_eq!(question(&own), Some(&json!("a")), "before {point}");
            session = went_on(own, "p", point);
        }
        // So is each point that came of it, in any order, and without a point it is the latest.
        for point in ["c", "b", "d", "c", "a"] {
            let own = session.clone().for_turn("p", Some(point));
            assert_eq!(question(&own), Some(&json!(point)));
        }
        assert_eq!(question(&session.clone().for_turn("p", None)), Some(&json!("d")));
        let unknown = session.for_turn("p", Some("z"));
        assert_eq!((question(&unknown), unknown.flags.len()), (None, 1));
    }

    #[test]
    fn what_was_done_after_a_point_is_done_also_for_who_goes_back_to_it() {
        let session = memory("p", "a", &json!("a")).for_turn("p", Some("a"));
        let mut later = went_on(session, "p", "b");
        later.flags = serde_json::from_value(json!({ "other": true })).unwrap();
        let back = later.clone().for_turn("p", Some("a"));
        assert_eq!((question(&back), &back.flags), (Some(&json!("a")), &later.flags));
        // Also where another pack was asked in between.
        let back = went_on(later.clone().for_turn("q", None), "q", "c").for_turn("p", Some("a"));
        assert_eq!((question(&back), &back.flags), (Some(&json!("a")), &later.flags));
    }

    #[test]
    fn memories_are_bounded_and_those_that_are_used_and_those_of_other_packs_stay() {
        let other = memory("q", "other", &json!("place"));
        let mut session = went_on(other.for_turn("p", Some("0")), "p", "0");
        for n in 1..100 {
            session = went_on(session.for_turn("p", Some("0")), "p", &n.to_string());
        }
        assert!(session.beside.len() <= MAX_BESIDE);
        assert_eq!(question(&session.clone().for_turn("p", Some("1"))), None, "it is forgotten");
        assert_eq!(question(&session.clone().for_turn("p", Some("0"))), Some(&json!("0")));
        assert_eq!(question(&session.for_turn("q", None)), Some(&json!("place")));
    }

    #[test]
    fn another_pack_neither_sees_nor_changes_a_memory_and_closes_its_question_for_an_approval() {
        let yes = json!({ "tool": "t", "approve": "d.1.s" });
        for (choice, stays) in
            [(json!("keelung"), true), (yes, false), (json!({ "plan": [] }), false)]
        {
            let session = memory("p", "a", &choice).for_turn("q", None);
            assert_eq!((question(&session), session.flags.len()), (None, 0));
            let back = went_on(session, "q", "b").for_turn("p", None);
            assert_eq!(question(&back).is_some(), stays, "{choice}");
            assert_eq!(back.flags.len(), 1, "what it did is done");
            let there = back.for_turn("q", None);
            assert_eq!(question(&there), Some(&json!("b")));
        }
    }
}
