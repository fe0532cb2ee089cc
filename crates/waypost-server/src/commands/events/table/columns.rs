//! Decisions as rows of a Parquet table: one flat row each, written in groups of a bounded size.

use std::fmt::Write as _;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use waypost::Error;
use waypost::records::event::{Event, Record};
use waypost::records::label::Verdict;

use super::super::export::Out;
use super::labels::Said;
use crate::failure::Failure;

/// The most rows of a group.
const ROWS: usize = 10_000;
/// The bytes of text after which a group is written, so that long texts need no more memory.
const BYTES: usize = 16 * 1024 * 1024;

/// A decision as a row.
#[derive(Debug, Default)]
struct Row {
    decision_id: String,
    session_id: Option<String>,
    pack: String,
    pack_version: String,
    at: i64,
    text: String,
    language: String,
    route: String,
    tools: String,
    layer: &'static str,
    confidence: f64,
    decision: &'static str,
    reason: Option<String>,
    llm_calls: i64,
    bundle: String,
    latency_ms: f64,
    label: Option<&'static str>,
    label_verdict: Option<&'static str>,
    label_route: Option<String>,
    label_tools: Option<String>,
}

/// The type of a column, with the way to read it from a row.
enum Column {
    Text(fn(&Row) -> &str),
    TextOrNull(fn(&Row) -> Option<&str>),
    Real(fn(&Row) -> f64),
    Whole(fn(&Row) -> i64),
    Instant(fn(&Row) -> i64),
}

/// The columns in their order. A reader finds them by name: a new one goes to the end.
const COLUMNS: &[(&str, Column)] = &[
    ("decision_id", Column::Text(|row| &row.decision_id)),
    ("session_id", Column::TextOrNull(|row| row.session_id.as_deref())),
    ("pack", Column::Text(|row| &row.pack)),
    ("pack_version", Column::Text(|row| &row.pack_version)),
    ("at", Column::Instant(|row| row.at)),
    ("text", Column::Text(|row| &row.text)),
    ("language", Column::Text(|row| &row.language)),
    ("route", Column::Text(|row| &row.route)),
    ("tools", Column::Text(|row| &row.tools)),
    ("layer", Column::Text(|row| row.layer)),
    ("confidence", Column::Real(|row| row.confidence)),
    ("decision", Column::Text(|row| row.decision)),
    ("reason", Column::TextOrNull(|row| row.reason.as_deref())),
    ("llm_calls", Column::Whole(|row| row.llm_calls)),
    ("bundle", Column::Text(|row| &row.bundle)),
    ("latency_ms", Column::Real(|row| row.latency_ms)),
    ("label", Column::TextOrNull(|row| row.label)),
    ("label_verdict", Column::TextOrNull(|row| row.label_verdict)),
    ("label_route", Column::TextOrNull(|row| row.label_route.as_deref())),
    ("label_tools", Column::TextOrNull(|row| row.label_tools.as_deref())),
];

/// A table that is being written.
pub(super) struct Table {
    writer: SerializedFileWriter<Out>,
    rows: Vec<Row>,
    bytes: usize,
}

impl Table {
    pub(super) fn new(out: Out) -> Result<Self, Failure> {
        let schema = Arc::new(parse_message_type(&schema())?);
        let properties = WriterProperties::builder().set_created_by("waypost".to_owned()).build();
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Self { writer, rows: Vec::new(), bytes: 0 })
    }

    /// Adds a decision, with its label if it has one.
    pub(super) fn add(&mut self, record: &Record, said: Option<&Said>) -> Result<(), Failure> {
        let Some(row) = row(record, said) else { return Ok(()) };
        self.bytes += row.text.len();
        self.rows.push(row);
        if self.rows.len() >= ROWS || self.bytes >= BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what is left; a table without rows is a table.
    pub(super) fn finish(mut self) -> Result<Out, Failure> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        Ok(self.writer.into_inner()?)
    }

    fn write_group(&mut self) -> Result<(), Failure> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let mut group = self.writer.next_row_group()?;
        for (_, column) in COLUMNS {
            let Some(mut writer) = group.next_column()? else { break };
            write(column, &rows, &mut writer)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

/// The schema in the words of the format.
fn schema() -> String {
    let mut text = String::from("message decision {\n");
    for (name, column) in COLUMNS {
        // Writing to a string cannot fail.
        let _ = match column {
            Column::Text(_) => writeln!(text, "REQUIRED BYTE_ARRAY {name} (UTF8);"),
            Column::TextOrNull(_) => writeln!(text, "OPTIONAL BYTE_ARRAY {name} (UTF8);"),
            Column::Real(_) => writeln!(text, "REQUIRED DOUBLE {name};"),
            Column::Whole(_) => writeln!(text, "REQUIRED INT64 {name};"),
            Column::Instant(_) => writeln!(text, "REQUIRED INT64 {name} (TIMESTAMP(MICROS,true));"),
        };
    }
    text.push('}');
    text
}

fn write(
    column: &Column,
    rows: &[Row],
    writer: &mut SerializedColumnWriter<'_>,
) -> Result<usize, ParquetError> {
    match column {
        Column::Text(of) => {
            let values: Vec<ByteArray> = rows.iter().map(|row| ByteArray::from(of(row))).collect();
            writer.typed::<ByteArrayType>().write_batch(&values, None, None)
        }
        Column::TextOrNull(of) => {
            let values: Vec<ByteArray> = rows.iter().filter_map(of).map(ByteArray::from).collect();
            let levels: Vec<i16> = rows.iter().map(|row| i16::from(of(row).is_some())).collect();
            writer.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)
        }
        Column::Real(of) => {
            let values: Vec<f64> = rows.iter().map(of).collect();
            writer.typed::<DoubleType>().write_batch(&values, None, None)
        }
        Column::Whole(of) | Column::Instant(of) => {
            let values: Vec<i64> = rows.iter().map(of).collect();
            writer.typed::<Int64Type>().write_batch(&values, None, None)
        }
    }
}

fn row(record: &Record, said: Option<&Said>) -> Option<Row> {
    let Event::RouterEvent(routed) = &record.event else { return None };
    let decision = &routed.decision;
    let tools: Vec<&str> = decision.calls.iter().map(|call| call.tool.as_str()).collect();
    let at = record.at.parse::<jiff::Timestamp>().ok()?;
    let (verdict, right) = match said.map(|said| &said.verdict) {
        Some(Verdict::Right { route, tools }) => (Some("right"), Some((route, tools))),
        Some(Verdict::Wrong) => (Some("wrong"), None),
        None => (None, None),
    };
    Some(Row {
        decision_id: record.decision_id.clone(),
        session_id: record.session_id.clone(),
        pack: record.pack.clone(),
        pack_version: decision.pack.clone(),
        at: at.as_microsecond(),
        text: routed.text.clone(),
        language: decision.language.tag().to_owned(),
        route: decision.route.clone(),
        tools: tools.join(","),
        layer: decision.layer.name(),
        confidence: decision.confidence,
        decision: decision.decision.name(),
        reason: decision.reason.as_ref().map(ToString::to_string),
        llm_calls: i64::from(decision.llm_calls),
        bundle: decision.bundle.clone(),
        latency_ms: routed.classification_latency_ms,
        label: said.map(|said| said.kind.name()),
        label_verdict: verdict,
        label_route: right.map(|(route, _)| route.clone()),
        label_tools: right.map(|(_, tools)| tools.join(",")),
    })
}

impl From<ParquetError> for Failure {
    fn from(error: ParquetError) -> Self {
        Failure::from(Error::internal(format!("the Parquet table cannot be written: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own_and_the_schema_is_read() {
        let schema = parse_message_type(&schema()).unwrap();
        let names: Vec<&str> = schema.get_fields().iter().map(|field| field.name()).collect();
        let unique: std::collections::BTreeSet<&&str> = names.iter().collect();
        assert_eq!((names.len(), unique.len()), (COLUMNS.len(), COLUMNS.len()));
    }
}
