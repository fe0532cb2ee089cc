//! Arithmetic in a task: the longest stretch of it that is an expression of numbers, computed.
//!
//! It knows + - * / ^, parentheses and square roots, and nothing that has a name.

/// The deepest nesting that is followed: the parser calls itself for each level.
const DEEPEST: usize = 40;

/// An expression as it was written, with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Computed {
    pub(super) text: String,
    pub(super) value: f64,
}

/// A piece of a task.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(f64),
    /// An operator or a parenthesis.
    Mark(char),
    Root,
    /// Anything else, which ends an expression.
    Other,
}

/// A piece with the bytes where it begins and ends.
#[derive(Debug, Clone, Copy)]
struct Piece {
    token: Token,
    start: usize,
    end: usize,
}

/// The longest expression of a task, with its value; none where nothing is computed in it.
pub(super) fn find(task: &str) -> Option<Computed> {
    let pieces = pieces(task);
    let runs = pieces.split(|piece| piece.token == Token::Other);
    let computed = runs.filter_map(|run| {
        let (first, last) = (run.first()?, run.last()?);
        let text = &task[first.start..last.end];
        let tokens: Vec<Token> = run.iter().map(|piece| piece.token).collect();
        let value = Parser::value(&tokens).filter(|value| value.is_finite() && !is_date(text))?;
        Some((run.len(), Computed { text: text.to_owned(), value }))
    });
    computed.max_by_key(|(length, _)| *length).map(|(_, computed)| computed)
}

/// All numbers of a task that stand alone.
pub(super) fn numbers(task: &str) -> Vec<f64> {
    let number = |piece: &Piece| match piece.token {
        Token::Number(value) => Some(value),
        _ => None,
    };
    pieces(task).iter().filter_map(number).collect()
}

/// Returns whether a text is a day such as `2026-03-18` or `18/3/2026`, which nobody wants divided.
fn is_date(text: &str) -> bool {
    ['-', '/'].into_iter().any(|mark| {
        let parts: Vec<&str> = text.split(mark).collect();
        let digits = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        parts.len() == 3 && parts.iter().all(digits) && parts.iter().any(|part| part.len() == 4)
    })
}

fn pieces(task: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = task;
    while let Some(first) = rest.chars().next() {
        let start = task.len() - rest.len();
        let (token, length) = piece(rest, first);
        if !first.is_whitespace() {
            pieces.push(Piece { token, start, end: start + length });
        }
        rest = &rest[length..];
    }
    pieces
}

/// The piece at the beginning of a text, with its bytes.
fn piece(rest: &str, first: char) -> (Token, usize) {
    if let Some((word, token)) = words().find(|(word, _)| rest.starts_with(word)) {
        return (token, word.len());
    }
    if first.is_ascii_digit() {
        let length = number_length(rest);
        let word = rest[length..].bytes().take_while(|byte| is_word(*byte)).count();
        return match rest[..length].parse() {
            // `8h` and `3rd` are no numbers that one computes with.
            Ok(value) if word == 0 => (Token::Number(value), length),
            _ => (Token::Other, length + word),
        };
    }
    let word = rest.bytes().take_while(|byte| is_word(*byte)).count();
    match &rest[..word] {
        "" => (mark(first), first.len_utf8()),
        "sqrt" => (Token::Root, word),
        // With its digits, so that the number of a device is none.
        _ => (Token::Other, word),
    }
}

/// The signs that are written with more than one character, or without one of its own.
fn words() -> impl Iterator<Item = (&'static str, Token)> {
    let roots = ["√", "根號", "根号"].into_iter().map(|word| (word, Token::Root));
    roots.chain([("**", Token::Mark('^'))])
}

fn mark(character: char) -> Token {
    match character {
        '+' | '-' | '*' | '/' | '^' | '(' | ')' => Token::Mark(character),
        '−' => Token::Mark('-'),
        '×' | '·' => Token::Mark('*'),
        '÷' => Token::Mark('/'),
        '（' => Token::Mark('('),
        '）' => Token::Mark(')'),
        _ => Token::Other,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The bytes of the number at the beginning of a text: digits, a fraction, and an exponent if it is
/// a whole one.
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(text);
    if let Some(fraction) = text[length..].strip_prefix('.') {
        let more = digits(fraction);
        // The stop behind a number ends the sentence.
        length += if more > 0 { more + 1 } else { 0 };
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let more = digits(signed);
        length += if more > 0 { 1 + exponent.len() - signed.len() + more } else { 0 };
    }
    length
}

/// Reads tokens from the left, each rule as far as it goes.
struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    /// True if anything was computed: a number alone is no expression.
    computes: bool,
}

impl Parser<'_> {
    /// The value of tokens that are one expression as a whole.
    fn value(tokens: &[Token]) -> Option<f64> {
        let mut parser = Parser { tokens, at: 0, depth: 0, computes: false };
        let value = parser.sum()?;
        (parser.at == tokens.len() && parser.computes).then_some(value)
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while let Some(mark) = self.take(&['+', '-']) {
            let next = self.product()?;
            value = if mark == '+' { value + next } else { value - next };
            self.computes = true;
        }
        Some(value)
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.signed()?;
        while let Some(mark) = self.take(&['*', '/']) {
            let next = self.signed()?;
            value = if mark == '*' { value * next } else { value / next };
            self.computes = true;
        }
        Some(value)
    }

    /// A sign stands before a power: -2^2 is -4.
    fn signed(&mut self) -> Option<f64> {
        match self.take(&['+', '-']) {
            Some(mark) => {
                let value = self.deeper(Self::signed)?;
                Some(if mark == '-' { -value } else { value })
            }
            None => self.power(),
        }
    }

    fn power(&mut self) -> Option<f64> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Some(base);
        }
        self.computes = true;
        Some(base.powf(self.deeper(Self::signed)?))
    }

    fn atom(&mut self) -> Option<f64> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Number(value) => Some(value),
            Token::Root => {
                self.computes = true;
                Some(self.deeper(Self::atom)?.sqrt())
            }
            Token::Mark('(') => {
                let value = self.deeper(Self::sum)?;
                self.take(&[')']).map(|_| value)
            }
            Token::Mark(_) | Token::Other => None,
        }
    }

    /// Takes the next token if it is one of these marks.
    fn take(&mut self, marks: &[char]) -> Option<char> {
        match self.tokens.get(self.at) {
            Some(Token::Mark(mark)) if marks.contains(mark) => {
                self.at += 1;
                Some(*mark)
            }
            _ => None,
        }
    }

    fn deeper(&mut self, rule: fn(&mut Self) -> Option<f64>) -> Option<f64> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = rule(self);
        self.depth -= 1;
        value
    }
}
