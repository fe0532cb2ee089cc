//! Vectors that were computed before, kept so that the next start need not compute them again.
//!
//! `HOME/cache/vectors/` holds a file for each list of texts and encoder, named by a hash of both. All of it may be deleted at
//! any time.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use waypost_core::Result;
use waypost_core::ports::encoder::Encoder;

use crate::students::{make_folder, write_whole};

/// The most files that are kept; the one written longest ago goes first.
const MAX_FILES: usize = 64;
/// The most bytes of a file: 2,000 vectors of 1,024 entries.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The number of hexadecimal digits of the hash that name a file.
const NAME_DIGITS: usize = 32;

/// An encoder that keeps the vectors of lists of texts. Single texts go straight to it.
#[derive(Debug)]
pub struct KeptVectors<'a> {
    encoder: &'a dyn Encoder,
    folder: PathBuf,
}

impl<'a> KeptVectors<'a> {
    /// The encoder with what is kept in `home`. Nothing is read or made yet.
    pub fn new(encoder: &'a dyn Encoder, home: &Path) -> Self {
        Self { encoder, folder: home.join("cache").join("vectors") }
    }

    fn path(&self, texts: &[&str]) -> PathBuf {
        let mut hash = Sha256::new();
        for part in [self.encoder.id(), self.encoder.kernel()].iter().chain(texts) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(&name[..NAME_DIGITS])
    }

    /// Reads vectors back; `None` where none are kept, or not as many as there must be.
    fn load(&self, path: &Path, count: usize) -> Option<Vec<Vec<f32>>> {
        let length = self.encoder.dimensions();
        let expected = count * length * size_of::<f32>();
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(expected as u64 + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() != expected {
            return None;
        }
        let entries: Vec<f32> =
            bytes.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
        let is_finite = entries.iter().all(|entry| entry.is_finite());
        is_finite.then(|| entries.chunks(length.max(1)).map(<[f32]>::to_vec).collect())
    }

    /// Keeps vectors for the next start. A home that cannot be written costs only that.
    fn keep(&self, path: &Path, vectors: &[Vec<f32>]) {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        if bytes.len() <= MAX_BYTES && make_folder(&self.folder).is_ok() {
            self.prune();
            let _ = write_whole(path, &bytes);
        }
    }

    /// Makes room for one more file.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let written = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        });
        let mut files: Vec<_> = written.collect();
        files.sort();
        let excess = (files.len() + 1).saturating_sub(MAX_FILES);
        for (_, path) in files.into_iter().take(excess) {
            let _ = fs::remove_file(path);
        }
    }
}

#[async_trait]
impl Encoder for KeptVectors<'_> {
    fn id(&self) -> &str {
        self.encoder.id()
    }

    fn kernel(&self) -> &str {
        self.encoder.kernel()
    }

    fn dimensions(&self) -> usize {
        self.encoder.dimensions()
    }

    async fn encode(&self, text: &str) -> Result<Vec<f32>> {
        self.encoder.encode(text).await
    }

    fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let path = self.path(texts);
        if let Some(kept) = self.load(&path, texts.len()) {
            return Ok(kept);
        }
        let vectors = self.encoder.encode_all(texts)?;
        self.keep(&path, &vectors);
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts how often it is asked.
    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    #[async_trait]
    impl Encoder for Counting {
        fn id(&self) -> &str {
            "counting"
        }

        fn dimensions(&self) -> usize {
            2
        }

        async fn encode(&self, text: &str) -> Result<Vec<f32>> {
            Ok(vec![text.len() as f32, 1.0])
        }

        fn encode_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect())
        }
    }

    #[test]
    fn a_list_is_computed_once() {
        let home = tempfile::tempdir().expect("a folder");
        let encoder = Counting::default();
        let kept = KeptVectors::new(&encoder, home.path());
        let first = kept.encode_all(&["a", "bcd"]).expect("vectors");
        assert_eq!(kept.encode_all(&["a", "bcd"]).expect("vectors"), first);
        assert_eq!(encoder.0.load(Ordering::Relaxed), 1);
        kept.encode_all(&["ab", "cd"]).expect("vectors");
        assert_eq!(encoder.0.load(Ordering::Relaxed), 2, "other texts are other vectors");
    }

    #[test]
    fn a_damaged_file_is_computed_again_and_old_files_go() {
        let home = tempfile::tempdir().expect("a folder");
        let encoder = Counting::default();
        let kept = KeptVectors::new(&encoder, home.path());
        kept.encode_all(&["a"]).expect("vectors");
        fs::write(kept.path(&["a"]), "half").expect("a file");
        assert_eq!(kept.encode_all(&["a"]).expect("vectors"), [[1.0, 1.0]]);
        for number in 0..MAX_FILES + 5 {
            kept.encode_all(&[number.to_string().as_str()]).expect("vectors");
        }
        let files = fs::read_dir(&kept.folder).expect("a folder").count();
        assert_eq!(files, MAX_FILES);
    }
}
