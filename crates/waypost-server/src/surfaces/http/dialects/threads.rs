//! Finds the conversation of a request whose protocol names none, and the point from which it goes on: clients of models send
//! all that was said before, so that the same words lead to the same point.
//!
//! A conversation that the client named is found by its name or by the id of its answer, and never by words. Clients have an answer made again or put a question in other
//! words, so a point may be gone on from as often as they like; each time the memory is the one that the conversation had there. If two callers
//! of a key have said and heard exactly the same, each goes on from a point of its own, unless both say the same next, too: a question for an
//! approval is then answered once, as it has to be if they are one caller who sends all again. Nobody reaches a conversation of another key.

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

/// A point of a conversation: what was said up to an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    pub(super) thread: Thread,
    /// The decision that the answer came of.
    pub(super) decision: String,
}

/// The points from which conversations may go on.
#[derive(Debug, Default)]
pub(in super::super) struct Threads(Mutex<Known>);

/// A point that words led to.
#[derive(Debug)]
struct Reached {
    number: u64,
    point: Point,
    /// What was said next there, by whoever went on from it first.
    next: Option<Print>,
}

#[derive(Debug, Default)]
struct Known {
    /// The points that a print leads to, oldest first.
    points: HashMap<Print, VecDeque<Reached>>,
    /// The prints of each key with the numbers of their points, oldest first.
    order: BTreeMap<String, VecDeque<(u64, Print)>>,
    /// The number of all of them.
    kept: usize,
    /// The number of the latest point.
    latest: u64,
}

impl Known {
    /// Keeps a point under what leads to it.
    fn keep(&mut self, of: &Of, print: Print, point: &Point) {
        self.latest += 1;
        let reached = Reached { number: self.latest, point: point.clone(), next: None };
        self.points.entry(print).or_default().push_back(reached);
        self.order.entry(of.0.clone()).or_default().push_back((self.latest, print));
        self.kept += 1;
        while self.kept > 2 * MOST {
            let Some((number, oldest)) = self.pop_oldest() else { return };
            let Some(own) = self.points.get_mut(&oldest) else { continue };
            own.pop_front_if(|reached| reached.number == number);
            if own.is_empty() {
                self.points.remove(&oldest);
            }
        }
    }

    /// Takes the oldest print of the key that has the most.
    fn pop_oldest(&mut self) -> Option<(u64, Print)> {
        let (key, prints) = self.order.iter_mut().max_by_key(|(_, prints)| prints.len())?;
        let (key, oldest) = (key.clone(), prints.pop_front()?);
        if prints.is_empty() {
            self.order.remove(&key);
        }
        self.kept -= 1;
        Some(oldest)
    }
}

impl Threads {
    /// The point that a request goes on from: the answer that it names, or the one up to which all that it sends was said.
    pub(super) fn known(&self, of: &Of, asked: &Asked) -> Option<Point> {
        let print = match &asked.previous {
            Some(id) => named(of, id),
            None if asked.before.is_empty() => return None,
            None => print(of, &asked.before),
        };
        let next = named(of, &asked.text);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = known.points.get_mut(&print)?;
        let same = reached.iter().rposition(|own| own.next == Some(next));
        let free = || reached.iter().rposition(|own| own.next.is_none());
        let at = same.or_else(free).or(reached.len().checked_sub(1))?;
        let own = reached.get_mut(at)?;
        own.next.get_or_insert(next);
        Some(own.point.clone())
    }

    /// Keeps the point to which the answer of a request has led.
    pub(super) fn keep(&self, of: &Of, asked: &Asked, id: &str, answer: &str, point: &Point) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Thread::Own(_) = point.thread {
            let mut said = asked.before.clone();
            said.push(("user".to_owned(), asked.text.clone()));
            said.push(("assistant".to_owned(), answer.to_owned()));
            known.keep(of, print(of, &said), point);
        }
        known.keep(of, named(of, &format!("resp_{id}")), point);
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
            tokens: 0,
        }
    }

    fn point(thread: Thread, decision: &str) -> Point {
        Point { thread, decision: decision.to_owned() }
    }

    fn own(name: &str, decision: &str) -> Point {
        point(Thread::Own(name.to_owned()), decision)
    }

    #[test]
    fn what_was_said_leads_back_to_its_point_of_the_same_key_as_often_as_it_is_said() {
        let threads = Threads::default();
        let (ana, bo) =
            (("a".to_owned(), "ocean".to_owned()), ("b".to_owned(), "ocean".to_owned()));
        threads.keep(&ana, &asked(&[], "tides"), "1", "Where?", &own("s", "d1"));
        let next = asked(&[("user", "tides"), ("assistant", "Where?")], "Keelung");
        assert_eq!(threads.known(&bo, &next), None);
        assert_eq!(threads.known(&ana, &next), Some(own("s", "d1")));
        threads.keep(&ana, &next, "2", "High water at 4.", &own("s", "d2"));
        // The answer is made again, and the message before it is put in other words.
        for text in ["Keelung", "Hualien"] {
            assert_eq!(
                threads.known(&ana, &Asked { text: text.to_owned(), ..next.clone() }),
                Some(own("s", "d1"))
            );
        }
        assert_eq!(threads.known(&ana, &asked(&[], "tides")), None);
        let by_id = |id: &str| Asked { previous: Some(id.to_owned()), ..asked(&[], "Keelung") };
        for (id, decision) in [("resp_1", "d1"), ("resp_2", "d2"), ("resp_1", "d1")] {
            assert_eq!(threads.known(&ana, &by_id(id)), Some(own("s", decision)));
            assert_eq!(threads.known(&bo, &by_id(id)), None);
        }
    }

    #[test]
    fn the_same_words_lead_to_the_point_where_they_were_said_last() {
        let threads = Threads::default();
        let of = (String::new(), String::new());
        for (name, decision) in [("s", "d1"), ("t", "d2")] {
            threads.keep(
                &of,
                &asked(&[], "add a note"),
                decision,
                "Shall it?",
                &own(name, decision),
            );
        }
        let said = |text: &str| asked(&[("user", "add a note"), ("assistant", "Shall it?")], text);
        for _ in 0..2 {
            assert_eq!(threads.known(&of, &said("yes")), Some(own("t", "d2")));
        }
        // Who says something else there is another caller.
        for _ in 0..2 {
            assert_eq!(threads.known(&of, &said("no")), Some(own("s", "d1")));
        }
        // Or goes back and says it in other words.
        assert_eq!(threads.known(&of, &said("not yet")), Some(own("t", "d2")));
    }

    #[test]
    fn no_words_lead_into_a_conversation_with_a_name_or_beyond_the_point_that_they_reach() {
        let threads = Threads::default();
        let of = (String::new(), String::new());
        let named = point(Thread::Named("ana".to_owned()), "d1");
        threads.keep(&of, &asked(&[], "list my notes"), "1", "Two notes.", &named);
        let same = asked(&[("user", "list my notes"), ("assistant", "Two notes.")], "yes");
        assert_eq!(threads.known(&of, &same), None);
        // By the id of its answer, which only whoever asked was told, it goes on.
        let by_id = Asked { previous: Some("resp_1".to_owned()), ..asked(&[], "yes") };
        assert_eq!(threads.known(&of, &by_id), Some(named));

        threads.keep(&of, &asked(&[], "list my notes"), "2", "Two notes.", &own("s", "d2"));
        let by_id = Asked { previous: Some("resp_2".to_owned()), ..asked(&[], "add one") };
        threads.keep(&of, &by_id, "3", "Shall it be added?", &own("s", "d3"));
        // The question came after these words, so their yes is none to it.
        assert_eq!(threads.known(&of, &same), Some(own("s", "d2")));
    }

    #[test]
    fn the_oldest_are_forgotten_of_the_key_that_has_the_most() {
        let threads = Threads::default();
        let (of, bo) = ((String::new(), String::new()), ("b".to_owned(), String::new()));
        threads.keep(&bo, &asked(&[], "x"), "0", "y", &own("bo", "0"));
        for n in 0..=MOST {
            let session = own(&format!("s{n}"), &n.to_string());
            threads.keep(&of, &asked(&[], "x"), &n.to_string(), "y", &session);
        }
        let named = |n: usize| Asked { previous: Some(format!("resp_{n}")), ..asked(&[], "z") };
        assert_eq!(threads.known(&of, &named(1)), None);
        assert_eq!(threads.known(&of, &named(2)), Some(own("s2", "2")));
        assert_eq!(threads.known(&bo, &named(0)), Some(own("bo", "0")));
        let known = threads.0.lock().unwrap();
        assert_eq!(known.kept, 2 * MOST);
        assert!(known.points.len() <= known.kept, "{}", known.points.len());
    }
}
