//! The terms that texts are made of: the phrases of every lexicon, the names of every pack, and
//! characters of every class.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value as Json;

use lang::file::read;

#[allow(dead_code, reason = "this reads files of words, and leaves their meanings to the library")]
#[path = "../../../crates/waypost-text/src/extract/lang"]
mod lang {
    pub(super) mod file;
    pub(super) mod pattern;
}

/// Longer strings of a pack are sentences.
const LONGEST_NAME: usize = 40;

/// Characters and short runs of every class that rules look at.
const SIGNS: &str = "! \" # $ % & ' ( ) * + , - . / : ; < = > ? @ [ \\ ] ^ _ ` { | } ~ ¡ ¿ § ° º ª ± · × ÷ – — … ‘ ’ “ ” „ ‚ « » ‹ › \
    「 」 『 』 【 】 〔 〕 《 》 、 。 ， ； ： ！ ？ ～ ・ € £ ¥ ₫ ₩ ₹ ¢ № ½ ⅓ ¼ ⁄ ‰ √ ∞ ≤ ≥ ≠ − ∼ ℃ ㎞ ㏠ ㋀ ﬁ ﷺ Ⅷ ① ２ Ａ \
    a b c d e f g h i j k l m n o p q r s t u v w x y z A B M T Q Z 0 1 2 3 5 7 9 00 12 24 30 31 99 100 365 999 1000 2024 20251106 \
    ä é ñ ü ß ø ł đ ơ ư ộ ự ạ İ ı ſ ά я ж א ש ع م ไ ท က 한 글 か カ ー 一 二 十 百 千 萬 億 零 〇 兩 海 花蓮 台北 的 了 和 在 年 月 日 時 點 分 \
    \u{301} \u{300} \u{323} \u{309} \u{31b} \u{327} \u{20dd} \u{200b} \u{200d} \u{200e} \u{202e} \u{feff} \u{ad} \u{1f600} \u{1f1f9}\u{1f1fc} \u{1d54f} \u{fe0f} \
    a\u{301} e\u{301}\u{323} 가\u{301} \u{1100}\u{1161} \u{fdfa} \u{3300} \
    true false null none and or not to from of in at on the a is";

/// Notations of values, which no lexicon lists.
const NOTATIONS: &[&str] = &[
    "2025-11-06",
    "6/11/2025",
    "14:30",
    "3pm",
    "2025-11-06T14:30:00Z",
    "121.5E",
    "24N",
    "(121.5,",
    "[1,2,3,4]",
    "1,234.5",
    "1.234,5",
    "1/2",
    "3e5",
    "10^6",
    "+886",
    "0912-345-678",
    "a@b.co",
    "http://a.b/c",
    "www.x.org",
    "#3",
    "4th",
    "$5",
    "5km",
    "10-20",
    "1~2",
    "v1.2.3",
    "192.168.0.1",
    "src/main.rs",
    "*.rs",
    "**/",
    "owner/name",
    "feature/x",
    "main",
    "HEAD~1",
    "\"a\"",
    "'b'",
    "“c”",
    "「d」",
    "«e»",
    "`f`",
    "co2",
    "SST_1",
    "U-5",
    "Asia/Taipei",
    "UTC+8",
    "25°12'30\"N",
    "2 1/4",
    "1 000 000",
    "12,34,567",
    "<system-reminder>",
    "</system-reminder>",
    "<tool_result>",
    "‹date›",
    "{{",
    "}}",
    "word{i}",
    "w{i}x",
    "{i}",
    "{i}.5",
    "a{i}",
    "name_{i}",
    "not",
    "no, I meant",
    "instead of",
    "and then",
    "也",
    "請",
    "không phải",
    "no es",
    "as well as",
    "with the message",
];

/// All terms, each once.
#[derive(Debug)]
pub(crate) struct Terms(pub(crate) Vec<String>);

impl Terms {
    /// Reads the terms of the repository in `root`.
    ///
    /// # Errors
    ///
    /// If a file of words or of a pack cannot be read.
    pub(crate) fn of(root: &Path) -> Result<Self> {
        let mut terms: Vec<String> = SIGNS.split_whitespace().map(str::to_owned).collect();
        terms.extend(NOTATIONS.iter().map(|&notation| notation.to_owned()));
        for path in files(&root.join("crates/waypost-text/lang"), "txt")? {
            let text = text_of(&path)?;
            let (groups, _) = read(&text);
            terms
                .extend(groups.into_iter().flat_map(|group| group.phrases).map(|(_, words)| words));
        }
        for path in files(&root.join("packs"), "yaml")? {
            let yaml: Json = serde_saphyr::from_str(&text_of(&path)?)
                .with_context(|| format!("`{}` is no YAML", path.display()))?;
            names(&yaml, &mut terms);
        }
        terms.sort();
        terms.dedup();
        Ok(Self(terms))
    }
}

/// The short strings of a document.
fn names(json: &Json, terms: &mut Vec<String>) {
    match json {
        Json::String(name) if name.chars().count() <= LONGEST_NAME && !name.is_empty() => {
            terms.push(name.clone());
        }
        Json::Array(list) => list.iter().for_each(|item| names(item, terms)),
        Json::Object(map) => map.values().for_each(|item| names(item, terms)),
        _ => {}
    }
}

/// The files below a folder with an ending, in order.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder)
        .with_context(|| format!("the folder `{}` cannot be read", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, ending)?);
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn text_of(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("`{}` cannot be read", path.display()))
}
