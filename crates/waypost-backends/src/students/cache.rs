//! Students that packs trained themselves, kept so that the next start need not train again.
//!
//! `HOME/cache/students/` holds a file for each set of [`TrainingInputs`], named by their hash: a line
//! with the inputs, a line with the id of the student, then its bytes. Every file is written beside
//! its place and renamed, so a reader sees a whole one. If two programs start at once, one trains and
//! the other waits for its file. All of it may be deleted at any time. The versions of a student are
//! not here but in the [`Registry`](super::Registry).

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use sha2::{Digest, Sha256};
use waypost_core::{Error, Result};
use waypost_learning::Bundle;

use super::files::{Held, Lock, make_folder, private, read_bytes};

/// The most students that are kept: those of a few packs, each by a few programs or encoders.
const MAX_ENTRIES: usize = 16;
/// The most bytes that are kept. A pack of a dozen routes takes 0.3 MB, one of 10,000 130 MB.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// The most students of the folder that are looked at.
const MAX_LISTED: usize = 1000;
/// The most names in the folder that are read, whoever put them there: names cost little.
const MAX_NAMES: usize = 1_000_000;
/// The age from which a file that is not whole is given up: its program ended in the middle.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
/// The number of hexadecimal digits of the hash that name a file.
const NAME_DIGITS: usize = 32;
/// The ending of the name of a student's file.
const ENDING: &str = ".student";
/// The ending of the name of a file that the process which trains holds.
const LOCK: &str = ".lock";
/// The longest wait for another process that trains the same student: the largest packs take less.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// The time between two looks at what another process has trained.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The ending of the name of a file that is not whole yet.
const PART: &str = ".part";

/// Everything that the training of a pack's own student depends on: two trainings with the same inputs
/// give the same student.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrainingInputs {
    /// The program that trains: another text for every other build of the code.
    pub program: String,
    /// The pack's id, which holds a hash of its content.
    pub pack: String,
    /// The id of the static table, if there is one.
    pub table: Option<String>,
    /// The id of the encoder, if there is one.
    pub encoder: Option<String>,
    /// The instructions that the encoder computes with, since others may give other last bits.
    pub kernel: Option<String>,
}

impl TrainingInputs {
    /// The line that a file of them begins with.
    fn line(&self) -> Vec<u8> {
        // A struct of strings cannot fail to become JSON.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// The contents of the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheContents {
    /// The number of students.
    pub entries: usize,
    /// The number of bytes that they take together.
    pub bytes: u64,
}

/// The outcome of waiting for a student that no file holds yet.
#[derive(Debug)]
pub enum Training {
    /// Another process has trained it.
    Elsewhere(Box<Bundle>),
    /// This process must train it. Others wait while the lock is held, if there can be one.
    Here(Option<Held>),
}

/// The students that are kept in a home. It holds no state: changes by another process are seen at
/// once.
#[derive(Debug, Clone)]
pub struct StudentCache {
    folder: PathBuf,
    max_entries: usize,
    max_bytes: u64,
}

/// A file of the cache.
struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl StudentCache {
    /// The cache in `home`. Nothing is read or made yet.
    pub fn open(home: &Path) -> Self {
        let folder = home.join("cache").join("students");
        Self { folder, max_entries: MAX_ENTRIES, max_bytes: MAX_BYTES }
    }

    /// The folder that the students lie in, whether it is there or not.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the student that was trained from these inputs; `None` where none is kept, or one
    /// that is damaged or of other inputs. The caller checks that it fits its pack.
    pub fn load(&self, inputs: &TrainingInputs) -> Option<Bundle> {
        let bytes = read_bytes(&self.path(inputs), self.max_bytes).ok()?;
        let rest = bytes.strip_prefix(inputs.line().as_slice())?;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let bundle = Bundle::from_bytes(&rest[end + 1..]).ok()?;
        (bundle.id().as_bytes() == &rest[..end]).then_some(bundle)
    }

    /// Returns the student of these inputs as soon as another process has trained it, or the permission to train it here,
    /// which ends when it is dropped. If the home cannot be written, each process trains at once.
    pub fn wait(&self, inputs: &TrainingInputs) -> Training {
        let (path, begun) = (self.lock(inputs), Instant::now());
        loop {
            let taken = Lock::open(&path).and_then(Lock::try_take);
            // The one before may have ended between the last look and this lock.
            if let Some(bundle) = self.load(inputs) {
                if matches!(taken, Ok(Ok(_))) {
                    let _ = fs::remove_file(&path);
                }
                return Training::Elsewhere(Box::new(bundle));
            }
            match taken {
                Ok(Err(_)) if begun.elapsed() < PATIENCE => thread::sleep(LOOK_EVERY),
                Ok(Ok(held)) => return Training::Here(Some(held)),
                Ok(Err(_)) | Err(_) => return Training::Here(None),
            }
        }
    }

    /// Notes that the student of these inputs was used now: the one used longest ago goes first. A home
    /// that cannot be written costs only that.
    pub fn mark_used(&self, inputs: &TrainingInputs) {
        let file = File::open(self.path(inputs));
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
    }

    /// Keeps the student that was trained from these inputs, and removes those used longest ago where
    /// there are too many. One that is too large for the cache is not kept.
    ///
    /// # Errors
    ///
    /// `UNAVAILABLE` if the folder cannot be made or the file cannot be written. Students kept
    /// before stay.
    pub fn keep(&self, inputs: &TrainingInputs, bundle: &Bundle) -> Result<()> {
        let mut bytes = inputs.line();
        bytes.extend(bundle.id().as_bytes());
        bytes.push(b'\n');
        bytes.extend(bundle.to_bytes());
        if bytes.len() as u64 > self.max_bytes {
            return Ok(());
        }
        make_folder(&self.folder)?;
        let path = self.path(inputs);
        write_whole(&path, &bytes).map_err(|error| {
            Error::unavailable(format!("cannot write `{}`: {error}", path.display()))
                .with_hint("make room on its disk or mend its permissions")
        })?;
        // A process that waits for the lock looks for the student first, so it must not train after this.
        let _ = fs::remove_file(self.lock(inputs));
        self.prune(&path);
        Ok(())
    }

    /// Counts the students that are kept; none where there is no folder or it cannot be read.
    pub fn contents(&self) -> CacheContents {
        let entries = self.entries();
        let bytes = entries.iter().map(|entry| entry.bytes).sum();
        CacheContents { entries: entries.len(), bytes }
    }

    /// The file that the process which trains this student holds.
    fn lock(&self, inputs: &TrainingInputs) -> PathBuf {
        self.path(inputs).with_extension(&LOCK[1..])
    }

    fn path(&self, inputs: &TrainingInputs) -> PathBuf {
        let digest = Sha256::digest(inputs.line());
        let mut name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        name.truncate(NAME_DIGITS);
        self.folder.join(name + ENDING)
    }

    fn entries(&self) -> Vec<Entry> {
        self.files(ENDING)
    }

    /// Returns the files of the folder whose names end so.
    fn files(&self, ending: &str) -> Vec<Entry> {
        let Ok(files) = fs::read_dir(&self.folder) else { return Vec::new() };
        let wanted = |file: io::Result<fs::DirEntry>| {
            let path = file.ok()?.path();
            let is_wanted = path.file_name()?.to_str()?.ends_with(ending);
            is_wanted.then_some(path)
        };
        let entry = |path: PathBuf| {
            let metadata = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Entry { path, bytes: metadata.len(), used: metadata.modified().ok()? })
        };
        // Only files of the kind count, so that foreign ones hide none of them.
        files.take(MAX_NAMES).filter_map(wanted).take(MAX_LISTED).filter_map(entry).collect()
    }

    /// Removes students beyond the limits, the one used longest ago first and that in `newest`
    /// never, and files that programs which ended in the middle left.
    fn prune(&self, newest: &Path) {
        let now = SystemTime::now();
        let age = |entry: &Entry| now.duration_since(entry.used).unwrap_or_default();
        let unfinished = [self.files(PART), self.files(LOCK)];
        for file in unfinished.iter().flatten().filter(|file| age(file) > ABANDONED) {
            let _ = fs::remove_file(&file.path);
        }
        let mut entries = self.entries();
        entries.sort_by_key(|entry| (entry.path != newest, std::cmp::Reverse(entry.used)));
        let (mut count, mut bytes) = (0, 0);
        for entry in entries {
            count += 1;
            bytes += entry.bytes;
            if count > self.max_entries || bytes > self.max_bytes {
                // Another program may have removed it already; a program that reads it goes on
                // reading.
                let _ = fs::remove_file(&entry.path);
            }
        }
    }
}

/// Writes a file beside its place and renames it. Unlike a version's it need not outlive a power cut:
/// a damaged one is trained again.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    /// Tells the writers of one process apart; other processes have other ids.
    static WRITERS: AtomicU64 = AtomicU64::new(0);
    let writer = WRITERS.fetch_add(1, Ordering::Relaxed);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}-{writer}{PART}", std::process::id()));
    let beside = Path::new(&beside);
    let written = private(beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(beside, path));
    if written.is_err() {
        let _ = fs::remove_file(beside);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use tempfile::TempDir;

    use super::*;
    use crate::students::tests::bundle as stored;

    fn inputs(program: &str) -> TrainingInputs {
        TrainingInputs {
            program: program.to_owned(),
            pack: "p@1".to_owned(),
            table: None,
            encoder: None,
            kernel: None,
        }
    }

    fn bundle() -> Bundle {
        Bundle::from_bytes(&stored("p@1", "tide")).unwrap()
    }

    fn home() -> (TempDir, StudentCache) {
        let home = TempDir::new().unwrap();
        let cache = StudentCache::open(home.path());
        (home, cache)
    }

    /// The only file of the cache.
    fn file(cache: &StudentCache) -> PathBuf {
        let entries = cache.entries();
        assert_eq!(entries.len(), 1);
        entries.into_iter().next().unwrap().path
    }

    /// Sets when a file was last used, in hours before now.
    fn aged(path: &Path, hours: u64) {
        let then = SystemTime::now() - Duration::from_secs(60 * 60 * hours);
        File::open(path).and_then(|file| file.set_modified(then)).unwrap();
    }

    #[test]
    fn the_student_that_is_kept_comes_back_bit_for_bit_and_for_its_inputs_alone() {
        let (_home, cache) = home();
        let (own, bundle) = (inputs("1"), bundle());
        assert_eq!(cache.load(&own), None);
        cache.keep(&own, &bundle).unwrap();
        let back = cache.load(&own).unwrap();
        assert_eq!((back.id(), back.to_bytes()), (bundle.id(), bundle.to_bytes()));
        assert_eq!(back, bundle);
        let text = |text: &str| Some(text.to_owned());
        for other in [
            TrainingInputs { program: "2".to_owned(), ..own.clone() },
            TrainingInputs { pack: "p@2".to_owned(), ..own.clone() },
            TrainingInputs { table: text("t"), ..own.clone() },
            TrainingInputs { encoder: text("e"), ..own.clone() },
            TrainingInputs { encoder: text("e"), kernel: text("avx2"), ..own.clone() },
        ] {
            assert_eq!(cache.load(&other), None, "{other:?}");
            // Under its name the file of the first is of no use either.
            fs::copy(file(&cache), cache.path(&other)).unwrap();
            assert_eq!(cache.load(&other), None, "{other:?}");
            fs::remove_file(cache.path(&other)).unwrap();
        }
    }

    #[test]
    fn damage_anywhere_is_as_if_nothing_were_kept() {
        let (_home, cache) = home();
        let own = inputs("1");
        cache.keep(&own, &bundle()).unwrap();
        let path = file(&cache);
        let whole = fs::read(&path).unwrap();
        let every = (0..whole.len()).step_by(whole.len() / 200).chain(0..300);
        for at in every.chain([whole.len() - 1]) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(cache.load(&own), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.load(&own), None, "cut at {at}");
        }
        cache.keep(&own, &bundle()).unwrap();
        assert_eq!(cache.load(&own), Some(bundle()));
    }

    #[test]
    fn of_too_many_those_used_longest_ago_go() {
        let (_home, mut cache) = home();
        cache.max_entries = 3;
        let keep = |cache: &StudentCache, program: &str| cache.keep(&inputs(program), &bundle());
        for (program, hours) in [("1", 9), ("2", 8), ("3", 7)] {
            keep(&cache, program).unwrap();
            aged(&cache.path(&inputs(program)), hours);
        }
        cache.mark_used(&inputs("1"));
        keep(&cache, "4").unwrap();
        let left = |cache: &StudentCache| {
            ["1", "2", "3", "4"].map(|program| cache.path(&inputs(program)).exists())
        };
        assert_eq!(left(&cache), [true, false, true, true]);
        let CacheContents { entries, bytes } = cache.contents();
        assert_eq!(entries, 3);
        cache.max_bytes = bytes - 1;
        keep(&cache, "4").unwrap();
        assert_eq!(left(&cache), [true, false, false, true]);
        cache.max_bytes = 10;
        cache.keep(&inputs("5"), &bundle()).unwrap();
        assert!(!cache.path(&inputs("5")).exists(), "it is larger than the whole cache");
    }

    #[test]
    fn foreign_files_hide_no_student_from_the_limits() {
        let (_home, mut cache) = home();
        cache.max_entries = 1;
        cache.keep(&inputs("1"), &bundle()).unwrap();
        for number in 0..MAX_LISTED + 200 {
            fs::write(cache.folder().join(format!("foreign-{number}")), "").unwrap();
        }
        aged(&cache.path(&inputs("1")), 2);
        cache.keep(&inputs("2"), &bundle()).unwrap();
        assert_eq!(cache.contents().entries, 1);
        assert!(!cache.path(&inputs("1")).exists() && cache.path(&inputs("2")).exists());
    }

    #[test]
    fn what_a_program_left_half_written_goes_and_what_one_writes_now_stays() {
        let (_home, cache) = home();
        cache.keep(&inputs("1"), &bundle()).unwrap();
        let [old, new] = ["old.part", "new.part"].map(|name| cache.folder().join(name));
        fs::write(&old, "half").unwrap();
        fs::write(&new, "half").unwrap();
        aged(&old, 2);
        cache.keep(&inputs("2"), &bundle()).unwrap();
        assert_eq!((old.exists(), new.exists()), (false, true));
        assert_eq!(cache.contents().entries, 2);
    }

    #[test]
    fn programs_that_start_at_once_all_keep_the_same_and_read_it_whole() {
        let (_home, cache) = home();
        let (bundle, start) = (bundle(), Barrier::new(4));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..20 {
                        cache.keep(&inputs("1"), &bundle).unwrap();
                        assert_eq!(cache.load(&inputs("1")).as_ref(), Some(&bundle));
                    }
                });
            }
        });
        let names = fs::read_dir(cache.folder()).unwrap().count();
        assert_eq!(names, 1, "nothing half-written is left");
    }

    #[test]
    fn of_two_that_start_at_once_one_trains_and_the_other_waits() {
        let (_home, cache) = home();
        let (own, other) = (inputs("1"), inputs("2"));
        let Training::Here(Some(held)) = cache.wait(&own) else { panic!("nobody trained it") };
        assert!(matches!(cache.wait(&other), Training::Here(Some(_))), "another student is free");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cache.wait(&own));
            thread::sleep(2 * LOOK_EVERY);
            assert!(!waiting.is_finished());
            cache.keep(&own, &bundle()).unwrap();
            let Training::Elsewhere(trained) = waiting.join().unwrap() else {
                panic!("it is there")
            };
            assert_eq!(*trained, bundle());
        });
        drop(held);
    }

    #[test]
    fn of_two_that_start_at_once_the_second_trains_if_the_first_gives_up() {
        let (_home, cache) = home();
        let held = cache.wait(&inputs("1"));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cache.wait(&inputs("1")));
            drop(held);
            assert!(matches!(waiting.join().unwrap(), Training::Here(Some(_))));
        });
    }

    #[test]
    fn a_home_that_cannot_be_written_is_told_and_holds_nothing() {
        let folder = TempDir::new().unwrap();
        let home = folder.path().join("file");
        fs::write(&home, "no folder").unwrap();
        let cache = StudentCache::open(&home);
        assert_eq!(cache.contents(), CacheContents::default());
        assert_eq!(cache.load(&inputs("1")), None);
        cache.mark_used(&inputs("1"));
        assert!(matches!(cache.wait(&inputs("1")), Training::Here(None)));
        let error = cache.keep(&inputs("1"), &bundle()).unwrap_err();
        assert_eq!(error.code(), waypost_core::Code::Unavailable);
    }
}
