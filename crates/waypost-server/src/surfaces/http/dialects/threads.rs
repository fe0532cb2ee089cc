//! Finds the conversation of a request whose protocol names none: clients of models send all that was said before, so that
//! the same words lead to the same conversation.
//!
//! A conversation that the client named is found by its name, and never by words. An entry is taken by the first request that
//! goes on from it, and a conversation that went on is not found by its beginning. Two callers of a key who have said and heard exactly the same
//! are in the same state, so that it does not matter whose entry is taken; nobody reaches a conversation of another key.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::Asked;

/// The most conversations that are found again; the oldest of the key that has the most go first.
const MOST: usize = 10_000;

/// The key of a caller, and the pack.
pub(super) type Of = (String, String);
type Print = [u8; 32];

/// The conversation of a request, by its name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Thread {
    /// The client named it.
    Named(String),
    /// It is found by what was said in it.
    Own(String),
}

impl Thread {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Named(name) | Self::Own(name) => name,
        }
    }
}

/// The conversations that may go on.
#[derive(Debug, Default)]
pub(in super::super) struct Threads(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The sessions by what was said in them; several, where the same was said.
    sessions: HashMap<Print, Vec<Thread>>,
    /// All that was said in a session so far.
    said: HashMap<String, Print>,
    /// The prints of each key, oldest first.
    order: BTreeMap<String, VecDeque<Print>>,
    /// The number of all of them.
    kept: usize,
}

impl Known {
    /// Keeps a session under what leads to it.
    fn keep(&mut self, of: &Of, print: Print, session: &Thread) {
        self.sessions.entry(print).or_default().push(session.clone());
        self.order.entry(of.0.clone()).or_default().push_back(print);
        self.kept += 1;
        while self.kept > 2 * MOST {
            let Some(oldest) = self.pop_oldest() else { return };
            let Some(sessions) = self.sessions.get_mut(&oldest) else { continue };
            if !sessions.is_empty() {
                let gone = sessions.remove(0);
                self.said.retain(|session, print| session != gone.name() || *print != oldest);
            }
            if sessions.is_empty() {
                self.sessions.remove(&oldest);
            }
        }
    }

    /// Takes the oldest print of the key that has the most.
    fn pop_oldest(&mut self) -> Option<Print> {
        let (key, prints) = self.order.iter_mut().max_by_key(|(_, prints)| prints.len())?;
        let (key, oldest) = (key.clone(), prints.pop_front()?);
        if prints.is_empty() {
            self.order.remove(&key);
        }
        self.kept -= 1;
        Some(oldest)
    }

    /// Forgets what was said in a session before, as more has been said.
    fn goes_on(&mut self, print: Print, session: &str) {
        let before = self.said.insert(session.to_owned(), print);
        if let Some(others) = before.and_then(|before| self.sessions.get_mut(&before)) {
            others.retain(|other| other.name() != session);
        }
    }
}

impl Threads {
    /// The session that a request goes on in: the one of the answer that it names, or the one in which all that it sends was
    /// said.
    pub(super) fn known(&self, of: &Of, asked: &Asked) -> Option<Thread> {
        let print = match &asked.previous {
            Some(id) => named(of, id),
            None if asked.before.is_empty() => return None,
            None => print(of, &asked.before),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &asked.previous {
            // A name is not used up: a client may go on from one answer twice.
            Some(_) => known.sessions.get(&print)?.last().cloned(),
            None => known.sessions.get_mut(&print)?.pop(),
        }
    }

    /// Keeps the session of a request that was answered.
    pub(super) fn keep(&self, of: &Of, asked: &Asked, id: &str, answer: &str, session: &Thread) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Thread::Own(name) = session {
            let mut said = asked.before.clone();
            said.push(("user".to_owned(), asked.text.clone()));
            said.push(("assistant".to_owned(), answer.to_owned()));
            let print = print(of, &said);
            known.goes_on(print, name);
            known.keep(of, print, session);
        }
        known.keep(of, named(of, &format!("resp_{id}")), session);
    }
}

fn print(of: &Of, said: &[(String, String)]) -> Print {
    let mut hash = begun(of);
    for (role, words) in said {
        add(&mut hash, role);
        add(&mut hash, words.trim());
    }
    hash.finalize().into()
}

fn named(of: &Of, id: &str) -> Print {
    let mut hash = begun(of);
    add(&mut hash, "answer");
    add(&mut hash, id);
    add(&mut hash, "named");
    hash.finalize().into()
}

fn begun(of: &Of) -> Sha256 {
    let mut hash = Sha256::new();
    add(&mut hash, &of.0);
    add(&mut hash, &of.1);
    hash
}

/// Adds a text with its length, so that no two lists of texts are alike.
fn add(hash: &mut Sha256, text: &str) {
    hash.update(text.len().to_le_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(before: &[(&str, &str)], text: &str) -> Asked {
        let owned = |(role, words): &(&str, &str)| ((*role).to_owned(), (*words).to_owned());
        Asked {
            text: text.to_owned(),
            before: before.iter().map(owned).collect(),
            previous: None,
            streams: false,
            counts: false,
        }
    }

    #[test]
    fn what_was_said_leads_back_to_its_conversation_of_the_same_key_once() {
        let threads = Threads::default();
        let (ana, bo) =
            (("a".to_owned(), "ocean".to_owned()), ("b".to_owned(), "ocean".to_owned()));
        let own = |name: &str| Thread::Own(name.to_owned());
        threads.keep(&ana, &asked(&[], "tides"), "1", "Where?", &own("s"));
        let next = asked(&[("user", "tides"), ("assistant", "Where?")], "Keelung");
        assert_eq!(threads.known(&bo, &next), None);
        assert_eq!(threads.known(&ana, &next), Some(own("s")));
        assert_eq!(threads.known(&ana, &next), None, "it is taken");
        assert_eq!(threads.known(&ana, &asked(&[], "tides")), None);
        let named = Asked { previous: Some("resp_1".to_owned()), ..asked(&[], "Keelung") };
        assert_eq!(threads.known(&ana, &named), Some(own("s")));
        assert_eq!(threads.known(&bo, &named), None);
    }

    #[test]
    fn no_words_lead_into_a_conversation_with_a_name_or_to_the_beginning_of_one_that_went_on() {
        let threads = Threads::default();
        let of = (String::new(), String::new());
        let named = Thread::Named("ana".to_owned());
        threads.keep(&of, &asked(&[], "list my notes"), "1", "Two notes.", &named);
        let same = asked(&[("user", "list my notes"), ("assistant", "Two notes.")], "yes");
        assert_eq!(threads.known(&of, &same), None);
        // By the id of its answer, which only whoever asked was told, it goes on.
        let by_id = Asked { previous: Some("resp_1".to_owned()), ..asked(&[], "yes") };
        assert_eq!(threads.known(&of, &by_id), Some(named));

        let own = Thread::Own("s".to_owned());
        threads.keep(&of, &asked(&[], "list my notes"), "2", "Two notes.", &own);
        let by_id = Asked { previous: Some("resp_2".to_owned()), ..asked(&[], "add one") };
        threads.keep(&of, &by_id, "3", "Shall it be added?", &own);
        assert_eq!(threads.known(&of, &same), None, "it went on");
    }

    #[test]
    fn the_oldest_are_forgotten_of_the_key_that_has_the_most() {
        let threads = Threads::default();
        let (of, bo) = ((String::new(), String::new()), ("b".to_owned(), String::new()));
        threads.keep(&bo, &asked(&[], "x"), "0", "y", &Thread::Own("bo".to_owned()));
        for n in 0..=MOST {
            let session = Thread::Own(format!("s{n}"));
            threads.keep(&of, &asked(&[], "x"), &n.to_string(), "y", &session);
        }
        let named = |n: usize| Asked { previous: Some(format!("resp_{n}")), ..asked(&[], "z") };
        assert_eq!(threads.known(&of, &named(1)), None);
        assert_eq!(threads.known(&of, &named(2)), Some(Thread::Own("s2".to_owned())));
        assert_eq!(threads.known(&bo, &named(0)), Some(Thread::Own("bo".to_owned())));
        assert_eq!(threads.0.lock().unwrap().kept, 2 * MOST);
    }
}
