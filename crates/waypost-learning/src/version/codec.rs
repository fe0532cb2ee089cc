//! The byte format of a bundle: a fixed header, the head as JSON, then arrays. An array that is mostly 0 is
//! written without its zeros.
//!
//! Nothing is allocated by a length that the bytes do not cover, and nothing is used before the
//! checksum agrees. Numbers are little-endian.

use std::sync::Arc;

use waypost_core::{Error, Result};

use super::bundle::{Bundle, Calibration, EncoderHead, Head, VERSION};
use crate::bytes::{Reader, checksum, write_count};
use crate::calibrate::Temperature;
use crate::calibrate::logistic::Logistic;
use crate::calibrate::threshold::Threshold;
use crate::features::static_table::StaticTable;
use crate::features::vocabulary::speller;
use crate::features::{Documents, Features, Known, MAX_DIMENSIONS};
use crate::version::weights::PackedWeights;

const MAGIC: &[u8; 8] = b"waypost\n";

/// Magic, version, length of the head, checksum of what follows.
const HEADER: usize = 8 + 4 + 4 + 8;

pub(crate) fn encode(bundle: &Bundle) -> Vec<u8> {
    // A head of strings and finite numbers cannot fail to become JSON.
    let head = serde_json::to_vec(&bundle.head).unwrap_or_default();
    let mut body = head.clone();
    let documents = &bundle.features.documents;
    write_count(documents.total, &mut body);
    documents.having.iter().for_each(|count| write_count(*count, &mut body));
    for word in &bundle.features.known.0 {
        body.extend(word.to_le_bytes());
    }
    for weights in std::iter::once(&bundle.words).chain(&bundle.vectors) {
        weights.write(&mut body);
    }
    if let Some(table) = &bundle.features.table {
        body.extend(table.carried());
    }
    body.extend(bundle.answers.iter().flat_map(|answers| encode(answers)));
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Bundle> {
    decode_within(bytes, false)
}

/// The bundle in `bytes`; one within another holds no third.
fn decode_within(bytes: &[u8], is_within: bool) -> Result<Bundle> {
    let mut reader = Reader::new(bytes, "bundle", "train it again or roll back");
    reader.expect(MAGIC)?;
    reader.version(VERSION)?;
    let head_length = u32::from_le_bytes(reader.array()?);
    reader.checksum()?;
    let head: Head = reader.json(head_length as usize)?;
    if !is_sound(&head) || is_within && head.answers_bytes > 0 {
        return Err(reader.damaged("its head is unsound"));
    }
    let classes = head.routes.len() + head.tools.len();
    let documents = read_documents(&mut reader, head.config.table_start())?;
    let known = Known(reader.words(Known::LENGTH)?);
    let words = PackedWeights::read(&mut reader, head.config.buckets(), classes)?;
    let vectors = match &head.encoder {
        Some(encoder) => Some(PackedWeights::read(&mut reader, encoder.dimensions, classes)?),
        None => None,
    };
    let own = reader.take(head.table_bytes)?;
    let answers = reader.take(head.answers_bytes)?;
    reader.end()?;
    let answers = if answers.is_empty() { None } else { Some(decode_within(answers, true)?) };
    let table = table(&head, own, &reader)?;
    let table_length = head.table_length.clone();
    let mut features = Features::assembled(head.config, documents, known, table, table_length);
    features.speller = speller(&head.vocabulary);
    Ok(Bundle::decoded(head, features, words, vectors, answers, checksum(bytes)))
}

fn read_documents(reader: &mut Reader<'_>, buckets: usize) -> Result<Documents> {
    let total = reader.count()?;
    // A count takes a byte at least.
    reader.holds(buckets)?;
    let having = (0..buckets).map(|_| reader.count()).collect::<Result<_>>()?;
    Ok(Documents { total, having })
}

/// The static table that the features were trained with.
fn table(head: &Head, own: &[u8], reader: &Reader<'_>) -> Result<Option<Arc<StaticTable>>> {
    let Some(wanted) = &head.table else { return Ok(None) };
    let table = match own {
        [] => StaticTable::built_in(),
        own => Some(Arc::new(StaticTable::from_bytes(own)?)),
    };
    let table = table.filter(|table| table.id() == wanted);
    let Some(table) = table else {
        let message = format!("the bundle was trained with the static table `{wanted}`");
        return Err(Error::new(waypost_core::Code::FailedPrecondition, message)
            .with_hint("this program has another one: train it again"));
    };
    if table.dimensions() == head.config.table {
        Ok(Some(table))
    } else {
        Err(reader.damaged("its static table has another size"))
    }
}

/// Returns whether a head holds what scoring relies on.
fn is_sound(head: &Head) -> bool {
    let of_encoder =
        |e: &EncoderHead| (1..=MAX_DIMENSIONS).contains(&e.dimensions) && e.share.is_valid();
    let calibrations = std::iter::once(&head.calibration).chain(&head.alone);
    head.config.is_valid()
        && head.table_length.is_valid()
        && head.encoder.iter().all(of_encoder)
        && !head.routes.is_empty()
        && head.threshold.iter().all(Threshold::is_valid)
        && head.trust.iter().all(|trust| (0.0..=1.0).contains(trust))
        && calibrations.into_iter().all(|calibration| is_calibration(calibration, head))
}

fn is_calibration(calibration: &Calibration, head: &Head) -> bool {
    let Temperature { sharpness, slope, offset } = calibration.temperature;
    let of_tool =
        |p: &Logistic| p.weights.len() == 1 && p.weights[0].is_finite() && p.bias.is_finite();
    calibration.tools.len() == head.tools.len()
        && calibration.tools.iter().all(of_tool)
        && calibration.detector.is_valid()
        && calibration.choices.is_valid(head.routes.len())
        && sharpness.is_finite()
        && sharpness > 0.0
        && slope.is_finite()
        && slope >= 0.0
        && offset.is_finite()
}
