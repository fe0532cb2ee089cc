//! What the server remembers while it runs: facts that its users told, and some sample conversations.
//!
//! Facts are kept for each user, who are told apart by the name that the caller gives and by nothing
//! else. Conversations are the same for everybody. Nothing is written anywhere: a server that ends
//! forgets.

use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Zoned};

use crate::pack::Failure;

/// The most users whose facts are kept. The one who was away the longest gives way to a new one.
const MOST_USERS: usize = 100;

/// The most facts that are kept of a user.
const MOST_FACTS: usize = 100;

/// The most characters of a fact.
const LONGEST_FACT: usize = 200;

/// The facts that a user begins with.
const FIRST_FACTS: [(&str, &str); 3] = [
    ("Follows semiconductor stocks, above all NVDA and TSM", "preference"),
    ("Wants to save for a house within five years", "goal"),
    ("Prefers dividends to growth", "preference"),
];

/// A fact about the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) text: String,
    pub(super) category: String,
}

/// The facts that were told, shared by all calls of a server.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The users with their facts, the one who called last at the end.
    users: Mutex<Vec<(String, Vec<Fact>)>>,
}

impl Memory {
    /// All facts of a user, the oldest first.
    pub(super) fn facts(&self, user: &str) -> Vec<Fact> {
        self.of(user, |facts| facts.clone())
    }

    /// Adds a fact and returns its line, from 1.
    ///
    /// # Errors
    ///
    /// If the text is empty or too long, or nothing more fits in.
    pub(super) fn add(&self, user: &str, text: &str, category: &str) -> Result<usize, Failure> {
        let text = checked("content", text)?;
        self.of(user, |facts| {
            if facts.len() >= MOST_FACTS {
                return Err(Failure {
                    code: "RESOURCE_EXHAUSTED",
                    message: format!("{MOST_FACTS} facts are remembered already; remove one first"),
                });
            }
            facts.push(Fact { text, category: category.to_owned() });
            Ok(facts.len())
        })
    }

    /// Removes the fact of a line and returns it.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` without such a line.
    pub(super) fn remove(&self, user: &str, line: i64) -> Result<Fact, Failure> {
        self.of(user, |facts| {
            let place = place(line, facts.len())?;
            Ok(facts.remove(place))
        })
    }

    /// Replaces the text of a line, and its category if another is given; returns the fact as it
    /// was before.
    ///
    /// # Errors
    ///
    /// As [`Memory::add`] and [`Memory::remove`].
    pub(super) fn replace(
        &self,
        user: &str,
        line: i64,
        text: &str,
        category: Option<&str>,
    ) -> Result<Fact, Failure> {
        let text = checked("replacement", text)?;
        self.of(user, |facts| {
            let place = place(line, facts.len())?;
            let category = category.map_or_else(|| facts[place].category.clone(), str::to_owned);
            Ok(std::mem::replace(&mut facts[place], Fact { text, category }))
        })
    }

    /// Works on the facts of a user. Only users whose facts are not the first ones take a place, so
    /// that nobody who only looks makes others be forgotten.
    fn of<T>(&self, user: &str, work: impl FnOnce(&mut Vec<Fact>) -> T) -> T {
        // A call that broke off has left whole facts: each change is a single step.
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let place = users.iter().position(|(name, _)| name == user);
        let known = place.map(|place| users.remove(place));
        let (name, mut facts) = known.unwrap_or_else(|| (user.to_owned(), first_facts()));
        let done = work(&mut facts);
        if facts != first_facts() {
            if users.len() >= MOST_USERS {
                users.remove(0);
            }
            users.push((name, facts));
        }
        done
    }
}

fn first_facts() -> Vec<Fact> {
    let fact = |(text, category): (&str, &str)| Fact {
        text: text.to_owned(),
        category: category.to_owned(),
    };
    FIRST_FACTS.map(fact).to_vec()
}

fn checked(argument: &str, text: &str) -> Result<String, Failure> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 {
        return Err(Failure::invalid(format!("`{argument}` must say something")));
    }
    if length > LONGEST_FACT {
        return Err(Failure::invalid(format!(
            "`{argument}` has {length} characters; at most {LONGEST_FACT} are remembered"
        )));
    }
    Ok(text.to_owned())
}

/// The place of a line in a list of so many.
fn place(line: i64, count: usize) -> Result<usize, Failure> {
    let place = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
    place.filter(|place| *place < count).ok_or_else(|| Failure {
        code: "NOT_FOUND",
        message: format!("there is no line {line}; `view` shows the {count} lines there are"),
    })
}

/// A sample conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conversation {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) summary: &'static str,
    /// More words that it is found by.
    words: &'static str,
    /// How long before now it was.
    hours: i64,
}

impl Conversation {
    /// The moment when it was.
    pub(super) fn moment(&self, now: &Zoned) -> Zoned {
        now.saturating_sub(SignedDuration::from_hours(self.hours))
    }

    /// Whether it was within the last so many hours.
    pub(super) fn is_within(&self, hours: i64) -> bool {
        self.hours <= hours
    }

    /// How many parts of a query it speaks of.
    pub(super) fn speaks_of(&self, query: &[String]) -> usize {
        let texts = [self.title, self.summary, self.words].join(" ");
        hits(query, &texts)
    }
}

/// The conversations, the newest first.
pub(super) const CONVERSATIONS: [Conversation; 8] = [
    conversation(
        "c-108",
        2,
        "NVIDIA price and news",
        "Looked at the price of NVDA and the latest headlines about its data center chips.",
        "nvda chips gpu giá tin tức cổ phiếu 輝達 股價 新聞 英伟达 股价 新闻",
    ),
    conversation(
        "c-107",
        21,
        "Bitcoin and Ethereum",
        "Compared BTC with ETH and read their RSI on hourly bars.",
        "btc eth crypto coin tiền điện tử 比特幣 以太幣 比特币 以太坊 加密",
    ),
    conversation(
        "c-106",
        47,
        "Dividend stocks",
        "Screened for stocks with a dividend yield above 3 percent, such as KO, VZ and PFE.",
        "ko vz pfe cổ tức 股息 股利 殖利率 dividends",
    ),
    conversation(
        "c-105",
        118,
        "Tesla risk and stop loss",
        "Assessed the risk of TSLA and chose a stop two average true ranges below the price.",
        "tsla stop-loss rủi ro cắt lỗ 特斯拉 風險 停損 风险 止损",
    ),
    conversation(
        "c-104",
        165,
        "Apple earnings",
        "Read the last quarter of AAPL, its revenue and its margins.",
        "aapl revenue doanh thu lợi nhuận 蘋果 財報 營收 苹果 财报 营收",
    ),
    conversation(
        "c-103",
        390,
        "TSMC against the market",
        "Compared TSM with SPY over six months; it had been ahead.",
        "tsm 2330 taiwan 台積電 台积电 大盤 大盘 semiconductor",
    ),
    conversation(
        "c-102",
        700,
        "Vietnamese banks",
        "Talked about VCB, TCB and ACB and how their P/E ratios differ.",
        "vcb tcb acb ngân hàng việt nam vietnam bank 越南 銀行 银行",
    ),
    conversation(
        "c-101",
        1_300,
        "Sector rotation",
        "Asked which sectors lead, and why energy and technology take turns.",
        "sectors energy technology ngành năng lượng công nghệ 產業 類股 板块 行业",
    ),
];

const fn conversation(
    id: &'static str,
    hours: i64,
    title: &'static str,
    summary: &'static str,
    words: &'static str,
) -> Conversation {
    Conversation { id, title, summary, words, hours }
}

/// The parts that a query is searched by: its words, and of Chinese every two characters.
pub(super) fn parts(query: &str) -> Vec<String> {
    let lower = query.to_lowercase();
    let mut parts = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let characters: Vec<char> = word.chars().collect();
        if characters.len() < 2 || !characters.iter().any(is_chinese) {
            parts.push(word.to_owned());
        } else {
            parts.extend(characters.windows(2).map(|two| two.iter().collect::<String>()));
        }
    }
    parts.retain(|part| !COMMON.contains(&part.as_str()));
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Words that say nothing about a topic.
const COMMON: [&str; 24] = [
    "a", "an", "and", "about", "did", "do", "for", "i", "in", "is", "it", "me", "my", "of", "on",
    "or", "say", "said", "talk", "the", "to", "we", "what", "you",
];

/// How many parts a text has in it: as words of their own, or anywhere in it in Chinese.
pub(super) fn hits(parts: &[String], text: &str) -> usize {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let is_in = |part: &&String| {
        let stem = part.strip_suffix('s').filter(|stem| stem.len() > 3).unwrap_or(part);
        if part.chars().any(|c| is_chinese(&c)) {
            text.contains(part.as_str())
        } else {
            words.iter().any(|word| word.starts_with(stem))
        }
    };
    parts.iter().filter(is_in).count()
}

/// Whether a character is written without spaces around its word.
fn is_chinese(character: &char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_added_replaced_and_removed_by_their_lines() {
        let memory = Memory::default();
        let before = memory.facts("ana").len();
        let line = memory.add("ana", "  Likes coffee ", "fact").expect("a line") as i64;
        let facts = memory.facts("ana");
        assert_eq!(facts.last().map(|fact| fact.text.as_str()), Some("Likes coffee"));
        let old = memory.replace("ana", line, "Likes tea", None).expect("the old fact");
        assert_eq!((old.text.as_str(), old.category.as_str()), ("Likes coffee", "fact"));
        assert_eq!(memory.remove("ana", line).expect("the fact").text, "Likes tea");
        assert_eq!(memory.facts("ana").len(), before);
        for wrong in [0, -1, 99] {
            assert_eq!(memory.remove("ana", wrong).expect_err("no line").code, "NOT_FOUND");
        }
    }

    #[test]
    fn the_store_is_bounded() {
        let memory = Memory::default();
        while memory.facts("ana").len() < MOST_FACTS {
            memory.add("ana", "one more", "other").expect("room");
        }
        let full = memory.add("ana", "one too many", "other").expect_err("no room");
        assert_eq!(full.code, "RESOURCE_EXHAUSTED");
        memory.add("ben", "one more", "other").expect("room of his own");
        let long = "x".repeat(LONGEST_FACT + 1);
        for wrong in [long.as_str(), "  "] {
            let refused = memory.add("ben", wrong, "other").expect_err("wrong");
            assert_eq!(refused.code, "INVALID_ARGUMENT");
        }
    }

    #[test]
    fn the_user_who_was_away_the_longest_is_forgotten_first() {
        let memory = Memory::default();
        let knows = |user: &str| memory.facts(user).len() > FIRST_FACTS.len();
        let names: Vec<String> = (0..MOST_USERS).map(|number| number.to_string()).collect();
        for name in &names {
            memory.add(name, "Likes tea", "other").expect("room");
        }
        memory.facts("who only looks");
        assert!(knows("0"), "and has called last now");
        memory.add("one more", "Likes tea", "other").expect("room");
        assert!(!knows("1"));
        assert!(["0", "2", "one more"].into_iter().all(knows));
    }

    #[test]
    fn conversations_are_found_in_every_language() {
        let found = |query: &str| {
            let parts = parts(query);
            let best = CONVERSATIONS.iter().max_by_key(|one| one.speaks_of(&parts));
            best.filter(|one| one.speaks_of(&parts) > 0).map(|one| one.id)
        };
        assert_eq!(found("what did we say about Tesla's risk"), Some("c-105"));
        assert_eq!(found("比特币"), Some("c-107"));
        assert_eq!(found("台積電跟大盤"), Some("c-103"));
        assert_eq!(found("ngân hàng"), Some("c-102"));
        assert_eq!(found("recipes"), None);
    }
}
