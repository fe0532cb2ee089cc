//! The comparison of a challenger with the champion, as people read it.

use waypost::learning::calibrate::threshold::Threshold;
use waypost::learning::evaluate::compare::{Comparison, ComparisonVerdict, Counts};
use waypost::learning::promotion::Alone;
use waypost_backends::students::Compared;

use crate::output::{self, Shown};

/// The widest name of a route that is shown, in characters.
const NAME: usize = 40;

/// The lines of a comparison: a table of the routes that the two take differently, then what follows.
pub(super) fn lines(compared: &Compared) -> Vec<Shown> {
    let examined = &compared.examined;
    let champion = match compared.with {
        Some(number) => format!("version {number}"),
        None => "pack's own".to_owned(),
    };
    let cases = examined.of_pack;
    let texts = match examined.of_labels {
        1 => "1 labeled text".to_owned(),
        count => format!("{count} labeled texts"),
    };
    let source = match (cases, examined.of_labels) {
        (_, 0) => format!("{cases} cases"),
        (0, _) => texts,
        _ => format!("{cases} cases, {texts}"),
    };
    let mut lines = vec![Shown::from(format!("held out: {source}"))];
    lines.extend(table(&examined.held_out, &champion));
    lines.push("  " + Shown::from(says(&examined.held_out)));
    lines.push("  " + Shown::from(alone(&examined.alone, &champion)));
    if let Some(replayed) = &examined.replayed {
        lines.push(match replayed.overall.n {
            1 => "replayed: 1 text of the traffic".into(),
            count => format!("replayed: {count} texts of the traffic").into(),
        });
        lines.extend(table(replayed, &champion));
        lines.push("  " + Shown::from(objects(replayed)));
    }
    if let Some(learned) = &examined.learned {
        let n = learned.overall.n;
        lines.push(format!("no cases: {n} examples, which both learned from").into());
        lines.extend(table(learned, &champion));
        lines.push("  " + Shown::from(objects(learned)));
    }
    lines
}

/// Returns a line with the confidence from which a student decides alone, and the questions that
/// say so.
pub(super) fn threshold_line(threshold: &Threshold) -> String {
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    format!(
        "decides alone from a confidence of {:.2}: {} of {} questions; with a model that is right in \
         {}, {} of them come out right",
        threshold.at,
        percent(threshold.decides),
        threshold.questions,
        percent(threshold.teacher),
        percent(threshold.right)
    )
}

fn table(comparison: &Comparison, champion: &str) -> Vec<Shown> {
    let differs = |counts: &Counts| counts.gained + counts.lost > 0;
    let routes = comparison.routes.iter().filter(|(_, counts)| differs(counts));
    let mut rows = vec![("all".to_owned(), &comparison.overall)];
    rows.extend(routes.map(|(name, counts)| (name.chars().take(NAME).collect(), counts)));
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let place = champion.chars().count().max("challenger".len());
    let head = format!(
        "  {:width$}  {:>5}  {champion:>place$}  {:>place$}  {:>6}  {:>4}",
        "", "asked", "challenger", "gained", "lost"
    );
    let mut lines = vec![output::dim(&head)];
    lines.extend(rows.iter().map(|(name, counts)| {
        format!(
            "  {name:<width$}  {:>5}  {:>place$}  {:>place$}  {:>6}  {:>4}",
            counts.n,
            percent(counts.champion, counts.n),
            percent(counts.challenger, counts.n),
            counts.gained,
            counts.lost
        )
        .into()
    }));
    let same = comparison.routes.values().filter(|counts| !differs(counts)).count();
    match same {
        0 => {}
        1 => lines.push(output::dim("  1 more route is answered as well as before")),
        _ => {
            lines
                .push(output::dim(&format!("  {same} more routes are answered as well as before")));
        }
    }
    lines
}

fn says(comparison: &Comparison) -> String {
    let most_lost = 100.0 * comparison.most_lost.max(0.0);
    match &comparison.verdict {
        ComparisonVerdict::Better => "better, and no route is worse".to_owned(),
        ComparisonVerdict::NoWorse => {
            format!("no worse: at most {most_lost:.1}% were lost, at 95% confidence")
        }
        ComparisonVerdict::Unproven { wanted } => format!(
            "Not enough evidence: with {} test questions, accuracy could be up to {most_lost:.0} points lower. About {wanted} \
             would tell.",
            comparison.overall.n
        ),
        ComparisonVerdict::Worse { routes } if routes.is_empty() => "worse".to_owned(),
        ComparisonVerdict::Worse { routes } => format!("worse: {}", routes.join(", ")),
    }
}

/// Returns the verdict of questions that can only speak against a challenger.
fn objects(comparison: &Comparison) -> String {
    match &comparison.verdict {
        ComparisonVerdict::Worse { .. } => says(comparison),
        _ => "nothing speaks against it".to_owned(),
    }
}

/// Returns how much both decide without asking a model, and how much of it wrongly.
fn alone(alone: &Alone, champion: &str) -> String {
    let Alone { counts, champion: before, challenger: after } = alone;
    let (wrong, was) = (counts.n - counts.challenger, counts.n - counts.champion);
    format!(
        "decides {after} of {} alone, {wrong} of them wrongly; {champion} {before}, {was}",
        counts.n
    )
}

fn percent(part: usize, of: usize) -> String {
    format!("{:.1}%", 100.0 * part as f64 / of.max(1) as f64)
}
