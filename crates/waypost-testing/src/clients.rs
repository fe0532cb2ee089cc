//! Clients that misbehave, as data: what each does, and what it is owed all the same.
//!
//! A test plays each against the real surface, and asks beside it whether others are still served.

/// A step of a client over HTTP.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Sends this.
    Send(&'static str),
    /// Sends this so many times.
    Repeat(&'static str, usize),
    /// Sends a question whole.
    Ask,
    /// Ends its side of the connection, and goes on listening.
    EndSending,
    /// Waits until the model is asked for it.
    AwaitWork,
    /// Lets the model go on.
    LetWork,
    /// Closes the connection.
    Leave,
}

/// The duties towards a client over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
    /// Answers of these statuses, in this order.
    Statuses(&'static [u16]),
    /// That its connection is closed, with whatever is said before.
    Closed,
    /// That its turn is cancelled.
    Cancelled,
    /// Nothing: only others are.
    Nothing,
}

/// The patience that the server has with a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// More than the test lasts.
    Long,
    /// A second or less.
    Short,
}

/// A client over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct Client {
    /// Its name.
    pub name: &'static str,
    /// The number of connections that do the same.
    pub connections: usize,
    /// The steps of each connection.
    pub acts: &'static [Act],
    /// The patience of the server.
    pub patience: Patience,
    /// True if a model is asked, and takes its time.
    pub works: bool,
    /// The duties towards each connection.
    pub owed: Owed,
}

/// The client that the others differ from.
const CLIENT: Client = Client {
    name: "",
    connections: 1,
    acts: &[],
    patience: Patience::Long,
    works: false,
    owed: Owed::Closed,
};

/// A head of a question with a body in chunks.
const CHUNKED: &str = "POST /v1/route HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                       transfer-encoding: chunked\r\n\r\n";
/// A head of a question that announces a hundred bytes.
const HUNDRED: &str = "POST /v1/route HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                       content-length: 100\r\n\r\n";
/// A whole request about the server.
const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// Clients over HTTP.
pub const HTTP_CLIENTS: &[Client] = &[
    Client {
        name: "a slow head",
        acts: &[Act::Send("GET /healthz HTTP/1.1\r\nhost: localho")],
        patience: Patience::Short,
        ..CLIENT
    },
    Client { name: "a connection without a word", patience: Patience::Short, ..CLIENT },
    Client {
        name: "a slow body",
        acts: &[Act::Send(HUNDRED), Act::Send("{\"tex")],
        patience: Patience::Short,
        owed: Owed::Statuses(&[408]),
        ..CLIENT
    },
    Client {
        name: "a body in chunks that never ends",
        acts: &[Act::Send(CHUNKED), Act::Send("5\r\n{\"tex\r\n")],
        patience: Patience::Short,
        owed: Owed::Statuses(&[408]),
        ..CLIENT
    },
    Client {
        name: "a chunk without a length",
        acts: &[Act::Send(CHUNKED), Act::Send("nonsense\r\n{\"text\": \"x\"}\r\n0\r\n\r\n")],
        owed: Owed::Statuses(&[400]),
        ..CLIENT
    },
    Client {
        name: "a body that breaks off",
        acts: &[Act::Send(HUNDRED), Act::Send("{\"tex"), Act::EndSending],
        owed: Owed::Statuses(&[400]),
        ..CLIENT
    },
    Client {
        name: "a body that is announced too large",
        acts: &[Act::Send(
            "POST /v1/route HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: 999999999\r\n\r\n",
        )],
        owed: Owed::Statuses(&[413]),
        ..CLIENT
    },
    Client {
        name: "chunks that become too large",
        acts: &[Act::Send(CHUNKED), Act::Send("80008\r\n"), Act::Repeat("        ", 65_537)],
        owed: Owed::Statuses(&[413]),
        ..CLIENT
    },
    Client {
        name: "two lengths",
        acts: &[Act::Send(
            "POST /v1/route HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: 2\r\ncontent-length: 3\r\n\r\n{}",
        )],
        owed: Owed::Statuses(&[400]),
        ..CLIENT
    },
    Client {
        name: "no HTTP",
        acts: &[Act::Send("\u{1}\u{2}hello\r\n\r\n")],
        owed: Owed::Statuses(&[400]),
        ..CLIENT
    },
    Client {
        name: "a head without an end",
        acts: &[Act::Send("GET /healthz HTTP/1.1\r\nx: "), Act::Repeat("xxxxxxxx", 8192)],
        owed: Owed::Statuses(&[431]),
        ..CLIENT
    },
    Client {
        name: "a head of many fields",
        acts: &[
            Act::Send("GET /healthz HTTP/1.1\r\n"),
            Act::Repeat("a: b\r\n", 200),
            Act::Send("\r\n"),
        ],
        owed: Owed::Statuses(&[431]),
        ..CLIENT
    },
    Client {
        name: "one that ends its side after the question",
        acts: &[Act::Ask, Act::EndSending],
        owed: Owed::Statuses(&[200]),
        ..CLIENT
    },
    Client {
        name: "one that ends its side and waits for a slow answer",
        acts: &[Act::Ask, Act::AwaitWork, Act::EndSending, Act::LetWork],
        works: true,
        owed: Owed::Statuses(&[200]),
        ..CLIENT
    },
    Client {
        name: "one that leaves while the model works",
        acts: &[Act::Ask, Act::AwaitWork, Act::Leave],
        works: true,
        owed: Owed::Cancelled,
        ..CLIENT
    },
    Client {
        name: "several questions before an answer",
        acts: &[Act::Ask, Act::Ask, Act::Send(HEALTH)],
        owed: Owed::Statuses(&[200, 200, 200]),
        ..CLIENT
    },
    Client { name: "hundreds that say nothing", connections: 300, owed: Owed::Nothing, ..CLIENT },
    Client {
        name: "hundreds that begin a head",
        connections: 300,
        acts: &[Act::Send("GET /healthz HTTP/1.1\r\nhost: localho")],
        owed: Owed::Nothing,
        ..CLIENT
    },
];

/// A step of a client over MCP.
#[derive(Debug, Clone, Copy)]
pub enum Says {
    /// Sends this line.
    Line(&'static str),
    /// Sends this so many times, and no end of a line.
    Repeat(&'static str, usize),
    /// Sends this line so many times.
    Lines(&'static str, usize),
}

/// An answer that a client over MCP is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// A result for this id.
    Result(u64),
    /// An error of this code for this id; `None` where the id is null.
    Error(Option<u64>, i64),
}

/// A client over MCP, after its handshake.
#[derive(Debug, Clone, Copy)]
pub struct Session {
    /// Its name.
    pub name: &'static str,
    /// The lines that it sends.
    pub says: &'static [Says],
    /// The answers that it is owed, in any order, and no others.
    pub owed: &'static [Reply],
}

/// A question over MCP.
const QUESTION: &str = r#"{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name":
    "router.route", "arguments": {"query": "help me with addVar"}}}"#;

/// Clients over MCP.
pub const MCP_CLIENTS: &[Session] = &[
    Session { name: "words", says: &[Says::Line("hello")], owed: &[Reply::Error(None, -32700)] },
    Session {
        name: "JSON that breaks off",
        says: &[Says::Line(r#"{"jsonrpc": "2.0", "id": 7, "method": "#)],
        owed: &[Reply::Error(None, -32700)],
    },
    Session {
        name: "half a character",
        says: &[Says::Line(
            r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "router.route", "arguments": {"query": "\ud800"}}}"#,
        )],
        owed: &[Reply::Error(None, -32700)],
    },
    Session {
        name: "a line of 21 MB",
        says: &[Says::Repeat("xxxxxxxx", 21 * 1024 * 128), Says::Line("")],
        owed: &[Reply::Error(None, -32700)],
    },
    Session {
        name: "a line of many values",
        says: &[Says::Repeat("[[[],[],[],[]],", 30_000), Says::Line("")],
        owed: &[Reply::Error(None, -32600)],
    },
    Session {
        name: "deep brackets",
        says: &[Says::Repeat("[", 15_000), Says::Line("")],
        owed: &[Reply::Error(None, -32700)],
    },
    Session {
        name: "no message",
        says: &[Says::Line(r#"{"jsonrpc": "2.0", "id": 7, "method": 5}"#)],
        owed: &[Reply::Error(Some(7), -32600)],
    },
    Session { name: "a list", says: &[Says::Line("[]")], owed: &[Reply::Error(None, -32600)] },
    Session {
        name: "a method that there is not",
        says: &[Says::Line(r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/burn"}"#)],
        owed: &[Reply::Error(Some(7), -32601)],
    },
    Session {
        name: "params that a method does not take",
        says: &[
            Says::Line(
                r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 5}}"#,
            ),
            Says::Line(r#"{"jsonrpc": "2.0", "id": 8, "method": "tools/call"}"#),
        ],
        owed: &[Reply::Error(Some(7), -32602), Reply::Error(Some(8), -32602)],
    },
    Session {
        name: "a flood of notifications that are none",
        says: &[Says::Lines(
            r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 5}"#,
            20_000,
        )],
        owed: &[],
    },
    Session {
        name: "a storm of cancellations",
        says: &[Says::Lines(
            r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}"#,
            5_000,
        )],
        owed: &[],
    },
    Session { name: "empty lines", says: &[Says::Lines("\r", 1000)], owed: &[] },
];

/// The line of the question, as it is sent.
pub fn question() -> String {
    QUESTION.replace("\n    ", "")
}
