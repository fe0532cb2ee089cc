//! What nobody says of a tool opens no gate: a tool that is not listed is not called, and one of which neither the pack nor
//! its server says what it does is taken to destroy.

use std::sync::{Arc, LazyLock, Mutex};

use async_trait::async_trait;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use waypost::pack::{LOCK_FILE, Lock, LockedTool, fingerprint};
use waypost::ports::tools::{Hints, ToolDescription, ToolResult, ToolServer};
use waypost::records::answer::Answer;
use waypost::records::request::Request;
use waypost::router::{AnswerOptions, Router};
use waypost::{Code, Error, Result};
use waypost_testing::OneSession;

use super::parts::{Trained, edited, loaded_with, parts, readers, trained, trained_with};

/// A server that keeps to what a test lets it list; `None` if it has no list.
#[derive(Debug)]
struct Wall {
    listed: Mutex<Option<Vec<ToolDescription>>>,
    made: Mutex<usize>,
}

impl Wall {
    fn listing(listed: Option<Vec<ToolDescription>>) -> Arc<Self> {
        Arc::new(Self { listed: Mutex::new(listed), made: Mutex::new(0) })
    }

    fn made(&self) -> usize {
        *self.made.lock().unwrap()
    }
}

#[async_trait]
impl ToolServer for Wall {
    async fn list(&self, _: &CancellationToken) -> Result<Vec<ToolDescription>> {
        let listed = self.listed.lock().unwrap().clone();
        listed.ok_or_else(|| Error::new(Code::Unimplemented, "it has no list"))
    }

    async fn call(
        &self,
        _: &str,
        _: &Map<String, Json>,
        _: &CancellationToken,
    ) -> Result<ToolResult> {
        *self.made.lock().unwrap() += 1;
        Ok(ToolResult::from(json!({ "status": "complete" })))
    }
}

/// The tools that read, without one of them.
fn without(name: &str) -> Vec<ToolDescription> {
    readers().into_iter().filter(|tool| tool.name != name).collect()
}

/// The pack, which says that a note writes.
fn said() -> Trained {
    static PACK: LazyLock<Trained> = LazyLock::new(trained);
    PACK.clone()
}

/// The pack, which says nothing of what its tools do.
fn silent() -> Trained {
    static PACK: LazyLock<Trained> = LazyLock::new(|| {
        trained_with(|text| {
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("access:"));
            lines.map(|line| format!("{line}\n")).collect()
        })
    });
    PACK.clone()
}

struct Scene {
    router: Router,
    wall: Arc<Wall>,
}

impl Scene {
    fn new(pack: &Trained, listed: Option<Vec<ToolDescription>>) -> Self {
        let wall = Wall::listing(listed);
        let server = Arc::<Wall>::clone(&wall);
        let router = Router::new(parts(pack, server, Arc::new(OneSession::default())));
        Self { router, wall }
    }

    async fn say(&self, text: &str, trusted: bool) -> Answer {
        let mut request = Request { trusted, ..Request::new(text) };
        request.session = Some("s".to_owned());
        request.now = Some("2025-11-06T09:00:00Z".to_owned());
        let (out, _) = tokio::sync::mpsc::channel(1);
        let never = CancellationToken::new();
        self.router.answer(&request, AnswerOptions::default(), &out, &never).await.unwrap()
    }
}

const NOTE: &str = "leave a note for the team";

#[tokio::test]
async fn a_tool_that_its_server_does_not_list_is_not_called() {
    // Whatever the pack says of it, and whether or not the list has others.
    for pack in [said(), silent()] {
        for listed in [without("note"), Vec::new()] {
            for trusted in [true, false] {
                let scene = Scene::new(&pack, Some(listed.clone()));
                let mut answer = scene.say(NOTE, trusted).await;
                if answer.mode == "clarify" {
                    answer = scene.say("yes", trusted).await;
                }
                assert_eq!(scene.wall.made(), 0, "{answer:?}");
                assert_eq!(answer.mode, "error", "{answer:?}");
                let error = answer.error.expect("an error");
                assert_eq!(error.code, Code::Unavailable, "{error:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_tool_that_is_taken_off_the_list_before_the_yes_is_not_called() {
    let scene = Scene::new(&said(), Some(readers()));
    let asked = scene.say(NOTE, false).await;
    assert_eq!(asked.raw.plan["reason"], "gate:approval", "{}", asked.raw.plan);
    *scene.wall.listed.lock().unwrap() = Some(without("note"));
    let answer = scene.say("yes", false).await;
    assert_eq!((scene.wall.made(), &*answer.mode), (0, "error"), "{answer:?}");
}

#[tokio::test]
async fn what_nobody_says_of_a_tool_is_that_it_destroys() {
    let scene = Scene::new(&silent(), None);
    let refused = scene.say(NOTE, false).await;
    assert_eq!(refused.raw.plan["reason"], "gate:permission", "{}", refused.raw.plan);
    assert_eq!(scene.wall.made(), 0);
    let asked = scene.say(NOTE, true).await;
    assert_eq!(asked.raw.plan["reason"], "gate:approval", "{}", asked.raw.plan);
    assert_eq!(scene.wall.made(), 0);
    scene.say("yes", true).await;
    assert_eq!(scene.wall.made(), 1);
}

#[tokio::test]
async fn a_server_that_says_nothing_of_a_tool_that_it_lists_means_a_write() {
    let plain: Vec<ToolDescription> = readers()
        .into_iter()
        .map(|tool| ToolDescription { hints: Hints::default(), ..tool })
        .collect();
    let scene = Scene::new(&silent(), Some(plain));
    let asked = scene.say(NOTE, false).await;
    assert_eq!(asked.raw.plan["reason"], "gate:approval", "{}", asked.raw.plan);
    assert_eq!(scene.wall.made(), 0);
}

#[tokio::test]
async fn a_tool_is_listed_by_the_name_that_its_server_knows() {
    // What is listed by the name that only the pack gives it is another tool.
    for (remote, listed) in [("memo", readers()), ("survey", without("survey"))] {
        let pack = said().serving(edited(|text| {
            let own = "  - name: note\n    server: land\n";
            assert!(text.contains(own), "the pack has another form now");
            text.replace(own, &format!("{own}    remote: {remote}\n"))
        }));
        let scene = Scene::new(&pack, Some(listed));
        scene.say(NOTE, true).await;
        let answer = scene.say("yes", true).await;
        assert_eq!((scene.wall.made(), &*answer.mode), (0, "error"), "{remote}: {answer:?}");
    }
}

#[tokio::test]
async fn a_tool_that_only_read_is_not_called_where_nobody_says_so_any_more() {
    let silenced: Vec<ToolDescription> = readers()
        .into_iter()
        .map(|tool| ToolDescription { hints: Hints::default(), ..tool })
        .collect();
    for (listed, reason) in [(None, "gate:permission"), (Some(silenced), "gate:approval")] {
        let scene = Scene::new(&silent(), Some(readers()));
        scene.say(NOTE, false).await;
        assert_eq!(scene.wall.made(), 1, "it only reads");
        *scene.wall.listed.lock().unwrap() = listed;
        let stopped = scene.say(NOTE, false).await;
        assert_eq!(scene.wall.made(), 1, "{stopped:?}");
        let plan = scene.say(NOTE, false).await.raw.plan;
        assert_eq!((&plan["reason"], scene.wall.made()), (&json!(reason), 1), "{plan}");
    }
}

#[tokio::test]
async fn what_was_accepted_is_compared_with_hints_and_results_before_each_call() {
    let note = readers().into_iter().find(|tool| tool.name == "note").unwrap();
    let mut lock = Lock::default();
    let accepted = LockedTool { accepted: fingerprint(&note), ..LockedTool::default() };
    lock.tools.insert("note".to_owned(), accepted);
    let lock = (LOCK_FILE.to_owned(), lock.write().unwrap());
    let own = include_str!("workflow/pack.yaml").to_owned();
    let pack = said().serving(loaded_with(own, vec![lock]));
    let listing = |note: &ToolDescription| {
        let mut listed = without("note");
        listed.push(note.clone());
        Some(listed)
    };
    let far = Hints { open_world: Some(true), ..note.hints };
    let again = Hints { idempotent: Some(true), ..note.hints };
    let schema = Some(json!({ "type": "object" }));
    for listed in [
        listing(&ToolDescription { hints: far, ..note.clone() }),
        listing(&ToolDescription { hints: again, ..note.clone() }),
        listing(&ToolDescription { output_schema: schema, ..note.clone() }),
        // What cannot be compared is not what was accepted.
        None,
    ] {
        let scene = Scene::new(&pack, listing(&note));
        scene.say(NOTE, false).await;
        *scene.wall.listed.lock().unwrap() = listed;
        let answer = scene.say("yes", false).await;
        assert_eq!((scene.wall.made(), &*answer.mode), (0, "error"), "{answer:?}");
    }
    let scene = Scene::new(&pack, listing(&note));
    scene.say(NOTE, false).await;
    scene.say("yes", false).await;
    assert_eq!(scene.wall.made(), 1);
}
