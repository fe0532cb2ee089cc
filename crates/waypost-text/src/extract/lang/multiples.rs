//! Composes the names of decimal multiples: what a language calls the prefixes times the units.
//!
//! ```text
//! [prefix kilo] kilo
//! [prefixed meter] meter(s)? | metre(s)?
//! [multiples square-meter] square ~meter(s)?
//! [multiples meter nano..milli] m
//! ```
//!
//! `prefixed` names the unit and its multiples, `multiples` only these; two prefixes behind the unit
//! say which, else all that `units.txt` gives the unit. `~` is the place of the prefix, which stands
//! in front without it. A prefix that is written in parts joins the unit as its own parts are joined:
//! "ki lô" makes "ki lô mét", and "ki-lô" makes "ki-lô-mét".

use super::file::{Fault, Group};
use super::inventory::{Inventory, bounds};

/// The place of the prefix in a phrase.
const PLACE: char = '~';

/// Replaces the groups of prefixes and of multiples by groups of single units of measure, in place.
///
/// # Errors
///
/// The first [`Fault`]: a prefix or a unit that `units.txt` does not have.
pub(crate) fn compose(groups: Vec<Group>, inventory: &Inventory) -> Result<Vec<Group>, Fault> {
    let mut prefixes: Vec<(String, Vec<String>)> = Vec::new();
    for group in &groups {
        if let Some(name) = group.header.strip_prefix("prefix ") {
            if inventory.prefix(name).is_none() {
                return Err(unknown(group, name));
            }
            let spellings = group.phrases.iter().map(|(_, spelling)| spelling.clone());
            prefixes.push((name.to_owned(), spellings.collect()));
        }
    }
    let mut composed = Vec::new();
    for group in groups {
        let mut words = group.header.split_whitespace();
        let with_unit = match words.next() {
            Some("prefix") => continue,
            Some("prefixed") => true,
            Some("multiples") => false,
            _ => {
                composed.push(group);
                continue;
            }
        };
        let unit = words.next().unwrap_or_default();
        let all = inventory.multiples(unit).ok_or_else(|| unknown(&group, unit))?;
        let wanted = match words.next() {
            None => all.iter().map(|multiple| multiple.prefix).collect(),
            Some(range) => bounds(range)
                .and_then(|(least, greatest)| inventory.between(least, greatest))
                .ok_or_else(|| unknown(&group, range))?,
        };
        if with_unit {
            composed.push(named(&group, unit, &[String::new()]));
        }
        for (prefix, spellings) in &prefixes {
            let multiple = all.iter().find(|known| known.prefix == prefix.as_str());
            let is_wanted = wanted.contains(&prefix.as_str());
            if let Some(multiple) = multiple.filter(|_| is_wanted) {
                composed.push(named(&group, multiple.unit, spellings));
            }
        }
    }
    Ok(composed)
}

/// The group of one unit, whose phrases are those of `group` with each spelling of a prefix.
fn named(group: &Group, unit: &str, prefixes: &[String]) -> Group {
    let with = |phrase: &str, prefix: &String| {
        let joint = if prefix.contains(' ') {
            " "
        } else if prefix.contains('-') {
            "-"
        } else {
            ""
        };
        let prefix = format!("{prefix}{joint}");
        if phrase.contains(PLACE) {
            phrase.replacen(PLACE, &prefix, 1)
        } else {
            format!("{prefix}{phrase}")
        }
    };
    let phrases = group.phrases.iter().flat_map(|(line, phrase)| {
        prefixes.iter().map(move |prefix| (*line, with(phrase, prefix)))
    });
    Group {
        header: format!("measure {unit}"),
        line: group.line,
        keeps_accents: group.keeps_accents,
        phrases: phrases.collect(),
    }
}

fn unknown(group: &Group, name: &str) -> Fault {
    let message =
        format!("`[{}]` means nothing: `{name}` takes no prefix or is none", group.header);
    Fault::new(group.line, message, "`units.txt` lists the prefixes and the units that take them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::lang::file::read;

    fn composed(text: &str) -> Result<Vec<String>, String> {
        let mut inventory = Inventory::default();
        let units = "[prefixes]\nkilo k 1e3\nmilli m 1e-3\n[length]\nmeter m 1 milli..kilo\n\
                     [area]\nsquare-meter m2 1 milli..kilo 2\ninch [in_i] 0.0254\n";
        inventory.add(units).map_err(|fault| fault.message)?;
        let (groups, faults) = read(text);
        assert_eq!(faults, []);
        let groups = compose(groups, &inventory).map_err(|fault| fault.message)?;
        let shown = groups.iter().map(|group| {
            let phrases: Vec<&str> = group.phrases.iter().map(|(_, p)| p.as_str()).collect();
            format!("{}: {}", group.header, phrases.join(", "))
        });
        Ok(shown.collect())
    }

    #[test]
    fn each_prefix_joins_each_unit() {
        let text = "[prefix kilo] kilo | ki lô\n[prefixed meter] metre\n[prefix milli] mi-li\n\
                    [measure inch] inch\n[multiples square-meter] square ~meter\n\
                    [multiples meter milli..milli] m";
        let expected = [
            "measure meter: metre",
            "measure kilometer: kilometre, ki lô metre",
            "measure millimeter: mi-li-metre",
            "measure inch: inch",
            "measure square-kilometer: square kilometer, square ki lô meter",
            "measure square-millimeter: square mi-li-meter",
            "measure millimeter: mi-li-m",
        ];
        assert_eq!(composed(text), Ok(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn what_takes_no_prefix_is_a_fault() {
        for text in ["[prefix half] half", "[prefixed inch] inch", "[multiples meter a..b] m"] {
            assert!(
                composed(text).is_err_and(|message| message.contains("means nothing")),
                "{text}"
            );
        }
    }
}
