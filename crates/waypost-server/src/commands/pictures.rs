//! Pictures of answers: each goes into a file of the home's `pictures`, and a line says where.
//!
//! A file is named after what it shows and what it holds, so that the same picture is one file.
//! The folder keeps the newest [`KEPT`]; files that are not named so are left alone.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use waypost::hash::Fnv;
use waypost::ports::tools::Image;

use crate::failure::Failure;
use crate::output;

/// The number of pictures that the folder keeps.
const KEPT: usize = 200;
/// The most entries of the folder that are looked at when old ones are cleared away.
const LOOKED_AT: usize = 10_000;
/// The longest part of a file's name that comes from a title, in characters.
const NAME: usize = 60;
/// The character between the name and the hash of the content.
const MARK: char = '.';
/// The number of hexadecimal digits of the hash.
const DIGITS: usize = 12;

/// The kinds of pictures that are written, with the endings of their files.
const KINDS: [(&str, &str); 5] = [
    ("image/svg+xml", "svg"),
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
];

/// Writes pictures to files and says on standard output where they are, a line each.
///
/// One that cannot be written costs the picture and not the answer: standard error says why.
pub(super) fn show(images: &[Image], home: &Path) -> Result<(), Failure> {
    if images.is_empty() {
        return Ok(());
    }
    let folder = home.join("pictures");
    for image in images {
        let title = if image.title.trim().is_empty() { "Picture" } else { image.title.trim() };
        match write(image, title, &folder) {
            Ok(path) => output::line(format!("{title}: {}", path.display()))?,
            Err(why) => output::note(format!("the picture `{title}` is not kept: {why}")),
        }
    }
    // A folder that cannot be cleared today may be tomorrow.
    let _ = clear(&folder, KEPT);
    Ok(())
}

/// Writes a picture and returns where it is.
fn write(image: &Image, title: &str, folder: &Path) -> io::Result<PathBuf> {
    let kind = KINDS.iter().find(|(mime, _)| *mime == image.mime);
    let ending = kind.map(|(_, ending)| ending).ok_or_else(|| {
        io::Error::other(format!("`{}` is no kind of picture that is known", image.mime))
    })?;
    let bytes = BASE64.decode(&image.data).map_err(io::Error::other)?;
    let mut hash = Fnv::default();
    hash.write(&bytes);
    let path = folder.join(format!("{}{MARK}{}{MARK}{ending}", name(title), hash.hex()));
    // Results may be private; the home as a whole is not for others either.
    let mut folders = DirBuilder::new();
    let mut file = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folders.mode(0o700);
        file.mode(0o600);
    }
    folders.recursive(true).create(folder)?;
    file.write(true).create(true).truncate(true).open(&path)?.write_all(&bytes)?;
    Ok(path)
}

/// A title as the name of a file: words of any language, joined by hyphens.
fn name(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name: String =
        words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(NAME).collect();
    if name.is_empty() { "picture".to_owned() } else { name }
}

/// Removes the oldest pictures, so that `kept` are left.
fn clear(folder: &Path, kept: usize) -> io::Result<()> {
    let mut pictures: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)?.take(LOOKED_AT) {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() && entry.file_name().to_str().is_some_and(is_ours) {
            pictures.push((metadata.modified()?, entry.path()));
        }
    }
    pictures.sort();
    let many = pictures.len().saturating_sub(kept);
    pictures.iter().take(many).try_for_each(|(_, path)| fs::remove_file(path))
}

/// Returns whether a file is named as [`write()`] names files.
fn is_ours(name: &str) -> bool {
    let mut parts = name.rsplit(MARK);
    let ending = parts.next().unwrap_or_default();
    let hash = parts.next().unwrap_or_default();
    KINDS.iter().any(|(_, known)| *known == ending)
        && hash.len() == DIGITS
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        && parts.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(title: &str, mime: &str, data: &str) -> Image {
        Image { mime: mime.to_owned(), title: title.to_owned(), data: data.to_owned() }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_picture_is_a_file_named_after_what_it_shows() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("deep/pictures");
        let svg = "image/svg+xml";
        let path =
            write(&image("", svg, "PHN2Zy8+"), "Risk: ../../etc, 蚊帳 màn!", &folder).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"<svg/>");
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("risk-etc-蚊帳-màn.") && name.ends_with(".svg"), "{name}");
        assert!(is_ours(name));
        // The same picture is the same file, another one is another.
        let again = write(&image("", svg, "PHN2Zy8+"), "Risk: ../../etc, 蚊帳 màn!", &folder);
        assert_eq!(again.unwrap(), path);
        write(&image("", svg, "PHN2Zz4="), "!", &folder).unwrap();
        assert_eq!(names(&folder).len(), 2);
        assert!(names(&folder)[0].starts_with("picture."));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        }
    }

    #[test]
    fn what_is_no_picture_is_not_written() {
        let home = tempfile::tempdir().unwrap();
        let why = |mime, data| write(&image("t", mime, data), "t", home.path()).unwrap_err();
        assert!(why("image/x-icon", "QUJD").to_string().contains("`image/x-icon`"));
        assert!(why("image/png", "not base64").to_string().contains("Invalid"));
        assert!(names(home.path()).is_empty());
        // The answer stands all the same.
        show(&[image("t", "image/png", "?")], home.path()).unwrap();
    }

    #[test]
    fn the_oldest_pictures_go_first_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        for (age, data) in ["QUFB", "QkJC", "Q0ND", "RERE"].into_iter().enumerate() {
            let path = write(&image("", "image/png", data), &format!("n{age}"), home.path());
            let file = fs::File::options().write(true).open(path.unwrap()).unwrap();
            let day = std::time::Duration::from_secs(86_400);
            file.set_modified(SystemTime::UNIX_EPOCH + day * (10 - age as u32)).unwrap();
        }
        fs::write(home.path().join("my-notes.svg"), "mine").unwrap();
        clear(home.path(), 2).unwrap();
        let left: Vec<String> =
            names(home.path()).iter().map(|name| name[..2].to_owned()).collect();
        assert_eq!(left, ["my", "n0", "n1"]);
    }
}
