//! Paths of files and folders: `src/main.rs`, `~/notes.md`, `C:\x\y`, `README.md`, `"./a b.txt"`.

use crate::extract::Found;
use crate::extract::grammar::cursor::Cursor;
use crate::extract::grammar::token::Shape;
use crate::extract::kind::Kind;
use crate::extract::values::small::QUOTES;
use crate::extract::values::url;

use super::run::{found, is_table_word, run, typed};

/// Endings of the names of files. What is no ending may be the end of a sentence whose space is
/// missing.
const ENDINGS: &[&str] = &[
    "7z",
    "aac",
    "adoc",
    "asm",
    "asc",
    "astro",
    "avi",
    "avif",
    "bak",
    "bash",
    "bat",
    "bib",
    "bin",
    "bmp",
    "bz2",
    "c",
    "cc",
    "cer",
    "cfg",
    "cjs",
    "class",
    "clj",
    "cmake",
    "cmd",
    "conf",
    "cpp",
    "crt",
    "cs",
    "css",
    "csv",
    "cts",
    "cxx",
    "dart",
    "dat",
    "db",
    "deb",
    "diff",
    "dll",
    "dmg",
    "doc",
    "docx",
    "dylib",
    "ejs",
    "el",
    "elm",
    "env",
    "epub",
    "erl",
    "ex",
    "exe",
    "exs",
    "f90",
    "fish",
    "flac",
    "fs",
    "gif",
    "go",
    "gpx",
    "gql",
    "gradle",
    "graphql",
    "gz",
    "h",
    "hbs",
    "hcl",
    "heic",
    "hpp",
    "hs",
    "htm",
    "html",
    "hxx",
    "ical",
    "ico",
    "ics",
    "ini",
    "ipynb",
    "iso",
    "j2",
    "jar",
    "java",
    "jl",
    "jpeg",
    "jpg",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "jsx",
    "key",
    "kml",
    "kt",
    "kts",
    "less",
    "lisp",
    "lock",
    "log",
    "lua",
    "m4a",
    "md",
    "mdx",
    "mid",
    "mjs",
    "mk",
    "mkv",
    "ml",
    "mov",
    "mp3",
    "mp4",
    "mpeg",
    "mpg",
    "mts",
    "nc",
    "nim",
    "nix",
    "npy",
    "npz",
    "o",
    "odp",
    "ods",
    "odt",
    "ogg",
    "orig",
    "parquet",
    "patch",
    "pdf",
    "pem",
    "php",
    "pkl",
    "pl",
    "plist",
    "png",
    "pot",
    "po",
    "ppt",
    "pptx",
    "prisma",
    "properties",
    "proto",
    "ps1",
    "psd",
    "pub",
    "py",
    "pyc",
    "pyi",
    "r",
    "rar",
    "rb",
    "rmd",
    "rpm",
    "rs",
    "rst",
    "rtf",
    "sass",
    "scala",
    "scss",
    "sh",
    "so",
    "sol",
    "sql",
    "sqlite",
    "srt",
    "sum",
    "svelte",
    "svg",
    "swift",
    "tar",
    "tex",
    "tf",
    "tfvars",
    "tgz",
    "tif",
    "tiff",
    "tmp",
    "toml",
    "ts",
    "tsv",
    "tsx",
    "ttf",
    "txt",
    "vb",
    "vim",
    "vtt",
    "vue",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xml",
    "xz",
    "yaml",
    "yml",
    "zig",
    "zip",
    "zsh",
    "zst",
];

/// Files that have no ending, as their names are written.
const WITHOUT_ENDING: &[&str] = &[
    "AUTHORS",
    "Brewfile",
    "CHANGELOG",
    "CHANGES",
    "CODEOWNERS",
    "CONTRIBUTING",
    "CONTRIBUTORS",
    "COPYING",
    "COPYRIGHT",
    "Containerfile",
    "Dockerfile",
    "Gemfile",
    "INSTALL",
    "Jenkinsfile",
    "Justfile",
    "LICENCE",
    "LICENSE",
    "MANIFEST",
    "Makefile",
    "NEWS",
    "NOTICE",
    "Pipfile",
    "Procfile",
    "README",
    "Rakefile",
    "SECURITY",
    "Vagrantfile",
];

/// Products whose names end as files do.
const PRODUCTS: &[&str] = &[
    "alpine.js",
    "asp.net",
    "backbone.js",
    "chart.js",
    "d3.js",
    "ember.js",
    "express.js",
    "moment.js",
    "next.js",
    "node.js",
    "nuxt.js",
    "p5.js",
    "react.js",
    "three.js",
    "vue.js",
];

/// A quoted path is no longer than this, in tokens.
const LONGEST_QUOTED: usize = 60;

/// Finds the path of a file or a folder.
pub(crate) fn path(cursor: &mut Cursor<'_>) -> Option<Found> {
    if let Some(path) = cursor.attempt(quoted) {
        return Some(found(Kind::Path, path));
    }
    if let Some(path) = cursor.attempt(han_file) {
        return Some(found(Kind::Path, path));
    }
    let start = *cursor;
    let path = run(cursor, goes_on)?;
    if path.starts_with('.') && is_behind_han(start) && is_ending_alone(path) {
        return None;
    }
    let is_command = start.at == 0 && path.starts_with('/') && !path[1..].contains(['/', '.']);
    let fits =
        is_path(path, is_looked_for_alone(start)) && !is_command && !is_page(start, cursor.at);
    fits.then(|| found(Kind::Path, path))
}

/// The name of a file that begins with Han characters, between a space or a mark and its ending: "讀取 庫存表.xlsx". Where other
/// characters stand right before it, nothing says where it begins.
fn han_file<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let start = *cursor;
    let opens =
        |before: Cursor<'_>| before.peek_symbol().is_some_and(|sign| "「『《“\"'".contains(sign));
    let is_free = match start.back() {
        None => false,
        Some(before) => !start.is_glued() || opens(before),
    };
    if !is_free || cursor.shape() != Some(Shape::Han) {
        return None;
    }
    while cursor.at - start.at < LONGEST_QUOTED && (cursor.at == start.at || cursor.is_glued()) {
        match cursor.shape() {
            Some(Shape::Han) if cursor.character() != '的' => {}
            Some(Shape::Word | Shape::Digits) => {}
            Some(Shape::Symbol) if "_-.".contains(cursor.character()) => {}
            _ => break,
        }
        cursor.step()?;
        cursor.at += 1;
        let name = typed(start, cursor.at);
        let is_whole =
            !cursor.is_glued() || !matches!(cursor.shape(), Some(Shape::Word | Shape::Digits));
        if is_whole && ending(name).is_some() {
            return Some(name);
        }
    }
    None
}

/// Returns whether a Han character stands right before.
fn is_behind_han(start: Cursor<'_>) -> bool {
    let before = start.back().filter(|_| start.is_glued());
    before.is_some_and(|before| before.shape() == Some(Shape::Han))
}

/// Returns whether a name is nothing but an ending, as of the name before it: the ".docx" of 合同.docx.
fn is_ending_alone(path: &str) -> bool {
    path != ".env" && !path[1..].contains('.') && ending(&format!("x{path}")).is_some()
}

/// Returns whether nothing else that is written with a slash is wanted.
fn is_looked_for_alone(cursor: Cursor<'_>) -> bool {
    let wanted = cursor.context.wanted;
    !wanted.has(Kind::Repository) && !wanted.has(Kind::Revision)
}

/// Returns whether a sign or a Han character belongs to the path before it.
pub(super) fn goes_on(before: &str, sign: char) -> bool {
    let is_drive = |text: &str| text.len() == 1 && text.as_bytes()[0].is_ascii_alphabetic();
    match sign {
        '/' | '\\' | '.' | '-' | '+' => true,
        '~' | '$' => before.is_empty(),
        '@' => before.ends_with(['/', '\\']),
        ':' => is_drive(before),
        sign => is_han_part(before, sign),
    }
}

/// Returns whether a Han character goes on with a run: amid the name of a folder or a file. Behind
/// other letters the sentence goes on: 刪除src/main.rs的.
pub(super) fn is_han_part(before: &str, sign: char) -> bool {
    let is_before = |c: char| matches!(c, '/' | '\\') || (!c.is_ascii() && c.is_alphabetic());
    sign.is_alphabetic() && before.contains(['/', '\\']) && before.ends_with(is_before)
}

/// Returns whether a part of a run is a word that tables know, and no number.
fn is_word(part: &str) -> bool {
    part.contains(char::is_alphabetic) && is_table_word(part)
}

/// Reads a whole quotation that is a path with spaces or in Chinese.
fn quoted<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mark = cursor.back().filter(|_| cursor.is_glued())?;
    let (_, close) = *QUOTES.iter().find(|(open, _)| mark.peek_symbol() == Some(*open))?;
    let before = mark.back().filter(|_| mark.is_glued()).and_then(|before| before.shape());
    if matches!(before, Some(Shape::Word | Shape::Digits)) {
        return None;
    }
    let start = *cursor;
    while cursor.at - start.at < LONGEST_QUOTED {
        cursor.shape()?;
        if cursor.peek_symbol() == Some(close) {
            let path = typed(start, cursor.at);
            let fits = (path.contains(' ') || !path.is_ascii())
                && (is_rooted(path) || ending(path).is_some());
            return (fits && cursor.at > start.at).then_some(path);
        }
        cursor.at += 1;
    }
    None
}

/// Returns whether a run is a path; `alone` if nothing else that has a slash is wanted.
pub(super) fn is_path(run: &str, alone: bool) -> bool {
    if matches!(run, "." | ".." | "~") {
        return true;
    }
    if is_rooted(run) {
        return run.contains(char::is_alphanumeric);
    }
    let segments: Vec<&str> = run.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let is_named = |part: &&str| part.contains(char::is_alphabetic);
    match segments.as_slice() {
        [] => false,
        [name] if name.len() == run.len() => is_file(name),
        [name] => is_named(name) && !is_word(name),
        [.., last] if ending(last).is_some() => segments.iter().any(is_named),
        all => {
            let is_folder = all.len() > 2 || run.ends_with(['/', '\\']);
            let named = if is_folder { all.iter().any(is_named) } else { all.iter().all(is_named) };
            named && (alone || is_folder) && !all.iter().any(|part| is_word(part))
        }
    }
}

/// Returns whether a run begins where only paths do: at a root, a drive, the folder of the user.
fn is_rooted(run: &str) -> bool {
    let begins = ["~/", "./", "../", ".\\", "..\\", "\\\\", "$"];
    let is_drive =
        matches!(run.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let is_absolute = run
        .strip_prefix('/')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || "._".contains(c)));
    is_drive || is_absolute || begins.iter().any(|begin| run.starts_with(begin))
}

/// Returns whether a run without a slash is the name of a file.
fn is_file(name: &str) -> bool {
    if WITHOUT_ENDING.contains(&name) {
        return true;
    }
    if let Some(hidden) = name.strip_prefix('.') {
        let is_word = hidden.len() > 2 && hidden.starts_with(|c: char| c.is_ascii_alphabetic());
        return is_word && !url::is_top_domain(hidden);
    }
    ending(name).is_some() && !PRODUCTS.contains(&name.to_lowercase().as_str())
}

/// The ending of the name of a file, if it is a known one.
pub(super) fn ending(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_lowercase();
    let known = ENDINGS.iter().find(|known| **known == ending).copied();
    known.filter(|_| stem.contains(|c: char| c.is_alphanumeric() || "*_-]}".contains(c)))
}

/// Returns whether the run is the address of a page, and not of a file.
fn is_page(start: Cursor<'_>, end: usize) -> bool {
    let mut page = start;
    let host = typed(start, end).split(['/', '?']).next().unwrap_or_default().to_lowercase();
    let is_host = host.rsplit_once('.').is_some_and(|(_, top)| url::is_certain_domain(top));
    (is_host || host.starts_with("www.")) && url::url(&mut page).is_some() && page.at >= end
}
