//! Shows how little one person, one session or one faulty model can teach.

use waypost_core::records::era::Era;
use waypost_core::records::label::Verdict;

use super::*;

const WARM: [&str; 6] = [
    "how warm is the sea today",
    "sea temperature at the coast please",
    "what is the water temperature off the coast",
    "is the sea warm enough to swim",
    "tell me the temperature of the sea",
    "how warm is the water at the beach",
];

const CODE: [&str; 6] = [
    "write a script that sorts a list",
    "can you write code for a loop",
    "fix this script for me",
    "write a function that sorts names",
    "show me code for a sorted list",
    "a script with a loop please",
];

fn label(id: usize, session: &str, kind: LabelKind, text: &str, route: &str) -> Label {
    Label {
        decision_id: format!("d{id:04}"),
        session_id: (!session.is_empty()).then(|| session.to_owned()),
        owner: None,
        pack: "ocean".to_owned(),
        at: format!("2025-11-06T09:{:02}:{:02}Z", id / 60, id % 60),
        kind,
        text: text.to_owned(),
        language: "en".to_owned(),
        era: Era::default(),
        verdict: Verdict::Right { route: route.to_owned(), tools: Vec::new() },
    }
}

fn weak(id: usize, session: &str, text: &str, route: &str) -> Label {
    label(id, session, LabelKind::Teacher, text, route)
}

fn wrong(id: usize, session: &str, kind: LabelKind) -> Label {
    Label { verdict: Verdict::Wrong, ..label(id, session, kind, "", "") }
}

fn examples() -> Vec<Labelled> {
    let of = |texts: [&str; 6], route: &str| -> Vec<Labelled> {
        let row = |text: &str| Labelled {
            text: text.to_owned(),
            language: None,
            route: route.to_owned(),
            tools: Vec::new(),
            weight: 1.0,
        };
        texts.into_iter().map(row).collect()
    };
    [of(WARM, "sea"), of(CODE, "code")].concat()
}

fn curated(labels: &[Label]) -> Curated {
    let seen = |label: &Label| label.text.clone();
    curate_beside(&examples(), &[], labels, &seen, &Limits::default())
}

fn dropped(curated: &Curated, reason: Reason) -> usize {
    curated.report.dropped.get(&reason).copied().unwrap_or_default()
}

/// Every label is behind a text or dropped with a reason.
fn adds_up(curated: &Curated) {
    let dropped: usize = curated.report.dropped.values().sum();
    assert_eq!(curated.report.given, curated.report.kept + dropped, "{:?}", curated.report);
}

#[test]
fn s4_28_a_label_that_others_bear_out_counts_and_one_that_nobody_does_waits() {
    let curated = curated(&[
        weak(1, "a", "how warm is the sea at the coast", "sea"),
        weak(2, "b", "how warm is the sea off the beach", "code"),
        weak(3, "c", "write a script for the list", "code"),
    ]);
    let routes: Vec<&str> = curated.kept.iter().map(|taught| taught.route.as_str()).collect();
    assert_eq!(routes, ["sea", "code"]);
    assert_eq!(dropped(&curated, Reason::Unsupported), 1);
    assert_eq!(curated.kept[0].sessions, ["a"]);
    assert_eq!(curated.kept[0].weight, 0.5);
    adds_up(&curated);
}

#[test]
fn sessions_that_agree_on_a_text_need_nobody_else() {
    let text = "anything about plankton";
    let labels = [weak(1, "a", text, "sea"), weak(2, "b", text, "sea")];
    let one = curate(&labels[..1], &Limits::default());
    assert_eq!((one.kept.len(), dropped(&one, Reason::Unsupported)), (0, 1));
    let two = curate(&labels, &Limits::default());
    assert_eq!(two.kept[0].sessions, ["a", "b"]);
    let same = curate(&[labels[0].clone(), weak(2, "a", text, "sea")], &Limits::default());
    assert_eq!(same.kept.len(), 0, "one session is not two");
}

#[test]
fn a_session_teaches_a_bounded_number_of_texts() {
    let words = ["list", "loop", "name", "script", "function", "table", "file", "class"];
    let texts: Vec<String> = (0..64)
        .map(|i| format!("write code for a {} with a {}", words[i / 8], words[i % 8]))
        .collect();
    let labels: Vec<Label> =
        texts.iter().enumerate().map(|(id, text)| weak(id, "flood", text, "code")).collect();
    let curated = curated(&labels);
    assert!(curated.kept.len() <= Limits::default().per_session);
    assert_eq!(dropped(&curated, Reason::SessionFull), 54);
    let gold: Vec<Label> = texts
        .iter()
        .enumerate()
        .map(|(id, text)| label(id, "flood", LabelKind::Feedback, text, "code"))
        .collect();
    let curated = self::curated(&gold);
    assert!((1..=3).contains(&curated.kept.len()), "{:?}", curated.report);
    adds_up(&curated);
}

#[test]
fn near_duplicates_are_one_text() {
    let labels: Vec<Label> = (0..40)
        .map(|id| {
            let marks = "!".repeat(id % 7);
            weak(id, &format!("s{id}"), &format!("How warm is the sea now, please{marks}"), "sea")
        })
        .chain([weak(50, "other", "how warm is the sea now, pleasee", "sea")])
        .collect();
    let curated = curate(&labels, &Limits::default());
    assert_eq!(curated.kept.len(), 1, "{:?}", curated.kept);
    assert_eq!(curated.kept[0].sessions.len(), 41);
    assert_eq!(dropped(&curated, Reason::Repeated), 40);
    adds_up(&curated);
}

#[test]
fn what_is_stronger_holds_and_wrong_takes_weaker_labels_back() {
    let text = "how warm is the sea there";
    let gold = |id, kind, route| label(id, "a", kind, text, route);
    let overruled = curated(&[weak(1, "a", text, "code"), gold(1, LabelKind::Correction, "sea")]);
    assert_eq!((overruled.kept[0].route.as_str(), overruled.kept[0].weight), ("sea", 1.0));
    assert_eq!(dropped(&overruled, Reason::Overruled), 1);

    let back = curated(&[weak(1, "a", text, "sea"), wrong(1, "a", LabelKind::Feedback)]);
    assert_eq!((back.kept.len(), dropped(&back, Reason::TakenBack)), (0, 2));

    let corrected = [gold(1, LabelKind::Correction, "sea"), wrong(1, "a", LabelKind::Feedback)];
    assert_eq!(curated(&corrected).kept.len(), 1, "both say that the decision was wrong");
    adds_up(&back);
}

#[test]
fn a_tie_leaves_the_text_out_and_says_so() {
    let text = "is the script warm";
    let tied = curate(&[weak(1, "a", text, "sea"), weak(2, "b", text, "code")], &Limits::default());
    assert_eq!((tied.kept.len(), dropped(&tied, Reason::Tied)), (0, 2));
    // A person counts as much as two models, and no more.
    let person = label(3, "c", LabelKind::Feedback, text, "code");
    let two = [weak(1, "a", text, "sea"), weak(2, "b", text, "sea"), person];
    assert_eq!(dropped(&curate(&two, &Limits::default()), Reason::Tied), 3);
    adds_up(&tied);
}

#[test]
fn the_packs_own_examples_are_not_voted_on() {
    let labels: Vec<Label> = (0..9)
        .map(|id| weak(id, &format!("s{id}"), "HOW warm is the sea today?", "code"))
        .collect();
    let seen = |label: &Label| label.text.to_lowercase();
    let curated = curate_beside(&examples(), &[], &labels, &seen, &Limits::default());
    assert_eq!((curated.kept.len(), dropped(&curated, Reason::InPack)), (0, 9));
}

#[test]
fn s4_28_people_who_lie_together_are_held_to_a_share_of_the_route() {
    let places = ["bay", "pier", "reef", "cove", "shore", "port", "delta", "strait"];
    let honest = (0..40).map(|i| {
        let text = format!("temperature of the sea at the {} {}", places[i % 8], places[i / 8]);
        weak(i, &format!("h{i}"), &text, "sea")
    });
    let liars = (0..40).map(|i| {
        let text = format!("how warm is the {} by the {}", places[i % 8], places[i / 8]);
        label(100 + i, &format!("l{i}"), LabelKind::Correction, &text, "code")
    });
    let curated = curated(&honest.chain(liars).collect::<Vec<_>>());
    let lies = curated.kept.iter().filter(|taught| taught.route == "code").count();
    assert!(lies <= 2, "{lies} lies count");
    assert!(dropped(&curated, Reason::AgainstOthers) >= 30, "{:?}", curated.report);
    assert!(curated.kept.len() >= 25, "{:?}", curated.report);
    adds_up(&curated);
}

#[test]
fn a_single_person_may_say_what_nobody_said_before() {
    let text = "how warm was the sea in my childhood";
    let curated = curated(&[label(1, "a", LabelKind::Correction, text, "code")]);
    assert_eq!(curated.kept.len(), 1, "{:?}", curated.report);
}

#[test]
fn s4_28_a_teacher_that_guesses_teaches_nothing() {
    let adjectives = ["warm", "cold", "calm", "rough", "salty", "deep", "high", "clear"];
    let labels: Vec<Label> = (0..64)
        .map(|i| {
            let text = format!("how {} and {} is the sea", adjectives[i % 8], adjectives[i / 8]);
            let guess = if (i * 7919 + i / 8) % 2 == 0 { "sea" } else { "code" };
            weak(i, &format!("s{i}"), &text, guess)
        })
        .collect();
    let curated = curated(&labels);
    assert_eq!(curated.kept.len(), 0, "{:?}", curated.report);
    assert!(curated.report.agreement.is_some_and(|agreement| agreement < 0.4));
    assert!(dropped(&curated, Reason::Distrusted) > 0);
    adds_up(&curated);
}

#[test]
fn nothing_and_nonsense_are_no_error() {
    assert_eq!(curated(&[]).kept, []);
    let odd = [
        weak(1, "", "", "sea"),
        weak(2, "", "  ?! ", "sea"),
        weak(3, "", &"x".repeat(70_000), "sea"),
        wrong(4, "", LabelKind::Audit),
    ];
    adds_up(&curated(&odd));
    let few = Limits { most: 2, ..Limits::default() };
    let report = curate(&odd, &few).report;
    assert_eq!(report.dropped[&Reason::TooOld], 2);
}

#[test]
fn the_order_of_the_labels_changes_nothing() {
    let mut labels: Vec<Label> = WARM
        .iter()
        .chain(&CODE)
        .enumerate()
        .map(|(i, text)| weak(i, &format!("s{i}"), &format!("{text} now"), ["sea", "code"][i / 6]))
        .collect();
    let first = curated(&labels);
    labels.reverse();
    assert_eq!(curated(&labels), first);
}
