//! The parts of the program that inputs are given to.

use anyhow::{Result, bail};
use jiff::Zoned;
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;

use waypost::extract::{self, Context, Conventions, Gazetteer, Kind, Kinds};
use waypost::language::Language;
use waypost::pack::{Files, Pack};
use waypost::ports::tools::{Access, ToolDescription};
use waypost::records::request::{self, Choice, Request};
use waypost::redact::redact;
use waypost::router::Router;
use waypost::student::heads::train_student;
use waypost::text::Text;

use super::samples;
use super::structures::Shape;

/// The instant of every question.
const NOW: &str = "2025-11-06T09:00:00+08:00[Asia/Taipei]";

/// A part that reads inputs, with the steps that it took.
pub(crate) struct Target<'a> {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) run: Box<dyn Fn(&str) -> u64 + 'a>,
}

/// The packs that decide, and what they are read with.
pub(crate) struct World {
    now: Zoned,
    /// By the name of their target.
    routers: Vec<(String, Router)>,
}

impl World {
    /// Loads and trains the packs with these names, and one of a server's list.
    ///
    /// # Errors
    ///
    /// If a pack of the repository has faults.
    pub(crate) fn new(packs: &[&str]) -> Result<Self> {
        let mut routers = Vec::new();
        for name in packs {
            let pack = match *name {
                "listed" => listed()?,
                name => samples::load(&samples::pack_files(name)?)?,
            };
            let bundle = train_student(&pack, None, &mut |_| {})?;
            let router = samples::router(pack, bundle);
            routers.push(((*name).to_owned(), router));
        }
        Ok(Self { now: NOW.parse()?, routers })
    }

    /// All targets.
    pub(crate) fn targets(&self) -> Vec<Target<'_>> {
        let mut targets = Vec::new();
        for language in Language::ALL {
            let tag = language.tag();
            targets
                .push(target(format!("extract.{tag}"), move |text| self.extract(text, language)));
            targets.push(target(format!("kinds.{tag}"), move |text| self.kinds(text, language)));
            targets.push(target(format!("words.{tag}"), move |text| self.words(text, language)));
        }
        targets.push(target("strings".to_owned(), strings));
        for (name, router) in &self.routers {
            targets
                .push(target(format!("decide.{name}"), |text| decide(router, Request::new(text))));
            targets.push(target(format!("answer.{name}"), |text| {
                decide(router, answering(router, text))
            }));
        }
        let shaped = |name: &str, shape, run: fn(&str)| Target {
            name: name.to_owned(),
            shape,
            run: Box::new(move |input: &str| {
                run(input);
                0
            }),
        };
        targets.push(shaped("request", Shape::Request, |json| {
            let _ = serde_json::from_str::<Request>(json);
        }));
        targets.push(shaped("schema", Shape::Schema, schema));
        targets.push(shaped("pack", Shape::Pack, pack));
        targets.push(shaped("template", Shape::Template, template));
        targets
    }

    fn gazetteers(&self) -> &[Gazetteer] {
        self.routers.first().map_or(&[], |(_, router)| &router.pack().gazetteers)
    }

    fn context(&self, language: Language) -> Context<'_> {
        Context {
            now: &self.now,
            language,
            gazetteers: self.gazetteers(),
            conventions: Conventions::STANDARD,
            wanted: Kinds::ALL,
        }
    }

    /// Finds all values, and writes them down.
    fn extract(&self, text: &str, language: Language) -> u64 {
        let text = Text::new(text);
        let values = extract::extract(&text, &self.context(language));
        for value in &values {
            extract::record(value);
        }
        extract::is_elliptical(&text, &values, language);
        extract::points_back(&text, &values, language);
        extract::references(&text, &values, language);
        extract::day_shifts(&text, &values, language);
        extract::joints(&text, &values, language);
        text.steps()
    }

    /// Finds the values of each kind alone.
    fn kinds(&self, text: &str, language: Language) -> u64 {
        let text = Text::new(text);
        // Each has the steps of a text of its own: nobody wants all kinds of one text.
        let steps = Kind::ALL.into_iter().map(|kind| {
            let text = text.clone();
            extract::of_kind(&text, &self.context(language), kind);
            text.steps()
        });
        steps.max().unwrap_or_default()
    }

    /// Reads what words do in a conversation and in a request.
    fn words(&self, text: &str, language: Language) -> u64 {
        let text = Text::new(text);
        extract::detect(&text, &Language::ALL);
        extract::act(&text, language);
        extract::operators(&text, language);
        extract::objection(&text, language);
        extract::selects(&text, &[], language);
        extract::has_reference(&text, language);
        extract::negates(&text, language);
        extract::means_all(&text, language);
        extract::objects(&text, language);
        extract::sought(&text, language);
        extract::bounds(&text, language);
        for (_, router) in &self.routers {
            extract::mentions(&text, language, &router.pack().vocabularies);
        }
        text.steps()
    }
}

fn target<'a>(name: String, run: impl Fn(&str) -> u64 + 'a) -> Target<'a> {
    Target { name, shape: Shape::Text, run: Box::new(run) }
}

/// Reads a text without the grammar.
fn strings(text: &str) -> u64 {
    redact(text);
    extract::is_word(text, Language::En);
    0
}

/// Decides a request, and returns no steps: the turn keeps its text to itself.
fn decide(router: &Router, mut request: Request) -> u64 {
    request.now = Some("2025-11-06T09:00:00+08:00".to_owned());
    let cancel = CancellationToken::new();
    let _ = samples::at_once(router.route(&request, &cancel));
    0
}

/// A request that answers the question for an argument: of each pack the first required one.
fn answering(router: &Router, text: &str) -> Request {
    let mut request = Request::new(text);
    let pack = router.pack();
    let asked = pack.tools.iter().find_map(|tool| Some((tool, tool.arguments().next()?)));
    if let Some((tool, argument)) = asked {
        request.context = request::Context {
            active_tool: Some(tool.spec.name.clone()),
            active_argument: Some(argument.to_owned()),
            asked: Some(text.to_owned()),
            options: vec![
                Choice { label: text.chars().take(80).collect(), value: json!("a") },
                Choice { label: "Primary".to_owned(), value: json!("primary") },
            ],
            ..request::Context::default()
        };
    }
    request
}

/// Loads the pack of a server whose tool has this schema.
fn schema(text: &str) {
    let Ok(schema) = serde_json::from_str::<Json>(text) else { return };
    let tool = ToolDescription {
        name: "fuzzed".to_owned(),
        description: "Does something.".to_owned(),
        input_schema: schema,
        ..ToolDescription::default()
    };
    let _ = Pack::listed("fuzz", &[(tool, Access::Read)]);
}

fn pack(text: &str) {
    let files = Files::from([
        ("pack.yaml".to_owned(), text.to_owned()),
        ("examples.jsonl".to_owned(), text.to_owned()),
    ]);
    let _ = Pack::load(&files);
}

/// Loads a pack with this template.
fn template(text: &str) {
    let spec = json!({
        "name": "fuzz", "summary": "A pack.", "format": 1, "languages": ["en"], "tz": "UTC", "fallback": "talk",
        "routes": [{ "name": "talk", "handler": "converse", "summary": "Talks." }, { "name": "do", "handler": "tool", "summary": "Does." }],
        "servers": [{ "name": "s", "command": ["s"] }],
        "tools": [{ "name": "t", "server": "s", "summary": "Does.", "schema": { "type": "object" }, "answer": { "en": text } }],
    });
    pack(&spec.to_string());
}

/// The pack of a server with arguments of most kinds.
fn listed() -> Result<Pack> {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let schema = json!({
        "type": "object",
        "required": ["path", "content", "city"],
        "properties": {
            "path": text("The path of the file to write."),
            "content": text("The content to write into the file."),
            "city": text("The name of the city."),
            "timezone": text("The IANA name of the time zone."),
            "branch": text("The name of the branch."),
            "repository": text("The repository, as owner/name."),
            "email": text("The e-mail address of the recipient."),
            "date": { "type": "string", "format": "date", "description": "The day." },
            "amount": { "type": "number", "description": "The amount in dollars." },
            "count": { "type": "integer", "description": "How many there are." },
            "numbers": { "type": "array", "items": { "type": "number" }, "description": "The numbers to add." },
            "names": { "type": "array", "items": { "type": "string" }, "description": "The names of the people." },
            "recursive": { "type": "boolean", "description": "Whether to go into folders." },
            "unit": { "type": "string", "enum": ["celsius", "fahrenheit"], "description": "The unit of temperature." },
            "query": text("The words to search for."),
            "options": { "type": "object", "properties": { "limit": { "type": "integer" } } },
        },
    });
    let tool = |name: &str, about: &str, access| {
        let description = ToolDescription {
            name: name.to_owned(),
            description: about.to_owned(),
            input_schema: schema.clone(),
            ..ToolDescription::default()
        };
        (description, access)
    };
    let tools = [
        tool("write_file", "Writes content to a file at a path.", Access::Read),
        tool("search_notes", "Searches notes for a query.", Access::Read),
    ];
    match Pack::listed("files", &tools) {
        Ok(pack) => Ok(pack),
        Err(faults) => bail!("the listed pack has faults: {faults:?}"),
    }
}
