//! Finds where a model's words go round in circles, as those of small models do: a sentence, a line or a
//! paragraph again and again until the tokens are spent. It looks at the end of a text alone.

/// The longest part that is looked for, in bytes: 200 characters of three bytes.
const LONGEST_UNIT: usize = 600;
/// A refrain comes twice; what comes three times in a row is no refrain.
const REPEATS: usize = 3;
/// Code and tables rightly say the same in several lines or cells.
const REPEATS_OF_DATA: usize = 6;
/// What takes less room, in bytes, may be meant so: "merrily, merrily, merrily".
const LEAST: usize = 64;
/// The same in code and in tables: a row of "no data", seven empty cells of a week.
const LEAST_OF_DATA: usize = 256;
/// The same where no letter is repeated: rules, leaders, rows of zeros.
const LEAST_WITHOUT_LETTERS: usize = 1000;
/// A line of fewer characters never counts.
const SHORTEST_LINE: usize = 8;

/// Returns the text up to the end of the first round, if it ends with the same again and again; `in_code` is
/// true where it ends within a block of code.
///
/// The cost is that of 600 comparisons, unless the text does repeat something.
pub(super) fn cut(text: &str, in_code: bool) -> Option<&str> {
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
    let is_data = in_code || last.trim_start().starts_with('|');
    let end = same_units(text, is_data).or_else(|| same_lines(text, is_data))?;
    text.get(..end)
}

/// The end of the first of the equal parts that the text ends with.
fn same_units(text: &str, is_data: bool) -> Option<usize> {
    let longest = LONGEST_UNIT.min(text.len() / REPEATS);
    (1..=longest).find_map(|period| {
        let room = room(text.as_bytes(), period);
        if room < REPEATS * period {
            return None;
        }
        let unit = text.get(text.len() - period..)?;
        let is_loop = room >= enough(unit, is_data) && !is_repeated(unit.as_bytes());
        is_loop.then(|| end_of_first(text, text.len() - room, period))
    })
}

/// The bytes at the end that say the same every `period` bytes.
fn room(bytes: &[u8], period: usize) -> usize {
    let pairs = bytes.iter().rev().zip(bytes.iter().rev().skip(period));
    period + pairs.take_while(|(later, earlier)| later == earlier).count()
}

/// The room, in bytes, from which a part that is repeated is a loop.
fn enough(unit: &str, is_data: bool) -> usize {
    if !unit.contains(char::is_alphabetic) {
        LEAST_WITHOUT_LETTERS
    } else if is_data {
        LEAST_OF_DATA.max(REPEATS_OF_DATA * unit.len())
    } else {
        LEAST.max(REPEATS * unit.len())
    }
}

/// Returns whether a part is itself made of equal parts; then the shorter one has been judged already.
fn is_repeated(unit: &[u8]) -> bool {
    let mut lengths = (1..=unit.len() / 2).filter(|length| unit.len().is_multiple_of(*length));
    lengths.any(|length| unit[length..] == unit[..unit.len() - length])
}

/// The end of the first round of what begins at `start`. What stands before a loop often ends as the loop
/// does, so that the round is taken to the end of its sentence or line, if it has one.
fn end_of_first(text: &str, start: usize, period: usize) -> usize {
    let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    let end = start + period;
    let (Some(first), Some(rest)) = (text.get(..end), text.get(end..)) else { return end };
    if first.trim_end_matches(' ').ends_with(['.', '!', '?', '。', '！', '？', '\n']) {
        return end;
    }
    let ends = |(at, c): &(usize, char)| match c {
        '\n' | '。' | '！' | '？' => true,
        // The point of a number ends nothing.
        '.' | '!' | '?' => rest[at + 1..].starts_with(char::is_whitespace),
        _ => false,
    };
    let mut round = rest.char_indices().take_while(|(at, _)| *at < period);
    round.find(ends).map_or(end, |(at, c)| end + at + c.len_utf8())
}

/// The end of the first of the lines that say the same but for their place in a list. Code and tables have
/// such lines for good reasons.
fn same_lines(text: &str, is_data: bool) -> Option<usize> {
    let whole = text.get(..text.rfind('\n')?)?.trim_end();
    let said = words(whole.rsplit('\n').next()?);
    if is_data || said.chars().count() < SHORTEST_LINE || !said.contains(char::is_alphabetic) {
        return None;
    }
    let (mut at, mut first, mut lines) = (whole.len(), whole.len(), 0);
    loop {
        let start = whole[..at].rfind('\n').map_or(0, |end| end + 1);
        let line = &whole[start..at];
        if words(line) == said {
            (first, lines) = (at, lines + 1);
        } else if !line.trim().is_empty() {
            break;
        }
        if start == 0 {
            break;
        }
        at = start - 1;
    }
    (lines >= REPEATS).then_some(first)
}

/// The words of a line without its sign or number in a list.
fn words(line: &str) -> &str {
    let line = line.trim();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let signs = ["- ", "* ", "• "];
    // "1.5 °C" is no first item: a space stands behind the point of one.
    let numbers = [". ", ") ", "、"];
    let bare = if unnumbered.len() == line.len() {
        signs.iter().find_map(|sign| line.strip_prefix(sign))
    } else {
        numbers.iter().find_map(|sign| unnumbered.strip_prefix(sign))
    };
    bare.unwrap_or(line).trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a text is cut to this, whatever whitespace it then ends with.
    #[track_caller]
    fn ends(text: &str, kept: &str) {
        assert_eq!(cut(text, false).map(str::trim_end), Some(kept), "{text:?}");
    }

    /// Checks that no beginning of a text is cut.
    #[track_caller]
    fn goes_on(text: &str, in_code: bool) {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for end in ends {
            assert_eq!(cut(&text[..end], in_code), None, "{:?}", &text[..end]);
        }
    }

    #[test]
    fn a_loop_of_a_sentence_ends_after_the_first_time() {
        let said = "SST is the temperature of the sea surface. It is measured by satellites.";
        for repeats in 3..9 {
            let text = format!("{said} {}", "It is a very useful product. ".repeat(repeats));
            ends(&text, &format!("{said} It is a very useful product."));
            ends(text.trim_end(), &format!("{said} It is a very useful product."));
        }
        let text = format!("海溫是什麼？{}", "海面的溫度由衛星測量。".repeat(9));
        ends(&text, "海溫是什麼？海面的溫度由衛星測量。");
        let text = format!("海溫！{}海面的", "海面的溫度由衛星測量。".repeat(9));
        ends(&text, "海溫！海面的溫度由衛星測量。");
    }

    #[test]
    fn what_stands_before_a_loop_may_end_as_it_does() {
        let text = format!("So the sea is 27.5 °C. {}", "But the sea is 27.5 °C. ".repeat(9));
        ends(&text, "So the sea is 27.5 °C. But the sea is 27.5 °C.");
    }

    #[test]
    fn a_loop_of_a_word_is_cut() {
        ends(&format!("It is {}", "the ".repeat(40)), "It is the");
        ends(&format!("海溫{}", "很".repeat(40)), "海溫很");
        goes_on("It is very, very, very, very warm. Merrily, merrily, merrily, merrily.", false);
        goes_on("哈哈哈哈哈哈哈哈！", false);
    }

    #[test]
    fn a_loop_of_paragraphs_or_lines_is_cut() {
        let round =
            "The tide rises twice a day.\n\nThe moon pulls the water, and so does the sun.\n\n";
        ends(&round.repeat(4), round.trim_end());
        ends(
            "Steps:\n1. Open the map.\n2. Open the map.\n3. Open the map.\n4. ",
            "Steps:\n1. Open the map.",
        );
        ends(
            "- Nets save lives\n- Nets save lives\n- Nets save lives\n- Nets",
            "- Nets save lives",
        );
        ends(
            "步驟：\n1、先打開海溫的圖層\n2、先打開海溫的圖層\n3、先打開海溫的圖層\n",
            "步驟：\n1、先打開海溫的圖層",
        );
    }

    #[test]
    fn honest_lists_and_tables_go_on() {
        goes_on(
            "1. Open the map of Keelung.\n2. Open the map of Hualien.\n3. Open the map of Taitung.\n\
             4. Close the map.\n5. Close the map.\n",
            false,
        );
        goes_on("1.5 °C at noon\n2.5 °C at noon\n3.5 °C at noon\n4.5 °C at noon\n", false);
        goes_on(&"| 0 | 0 |\n".repeat(20), false);
        goes_on(
            &format!(
                "| day |{0}|\n|{1}|\n| 6 |{2}|\n",
                " a |".repeat(9),
                "---|".repeat(9),
                " no data |".repeat(9)
            ),
            false,
        );
        goes_on(
            "Contents ........................................ 3\n----------------------------\n",
            false,
        );
    }

    #[test]
    fn a_poem_with_a_refrain_of_two_goes_on() {
        goes_on(
            "The tide comes in, the tide goes out,\nit never asks the moon about.\n\
             Roll on, roll on, you deep blue sea!\nRoll on, roll on, you deep blue sea!\n\n\
             The boats lie still, the boats lie dry,\nthey wait for water, low and high.\n\
             Roll on, roll on, you deep blue sea!\nRoll on, roll on, you deep blue sea!\n",
            false,
        );
    }

    #[test]
    fn code_with_many_similar_lines_goes_on_and_a_loop_in_it_is_cut() {
        goes_on("if (a) {\n  if (b) {\n    c();\n  }\n}\n}\n}\n}\n}\n}\n}\n}\n", true);
        goes_on(&format!("<tr>\n{}</tr>\n", "  <td>&nbsp;</td>\n".repeat(7)), true);
        let lines: Vec<String> =
            (1..40).map(|n| format!("addVar(name_{n}, \"value\")\n")).collect();
        goes_on(&lines.concat(), true);
        let text = format!("startLoop()\n{}", "addResult(total_of_all_rows)\n".repeat(20));
        assert_eq!(cut(&text, true), Some("startLoop()\naddResult(total_of_all_rows)\n"));
    }

    #[test]
    fn rules_and_zeros_end_at_last() {
        goes_on(&"0, ".repeat(300), false);
        assert!(cut(&"0, ".repeat(400), false).is_some());
    }
}
