//! `waypost encoder list`: the encoders in the home, and which one is used.

use serde_json::json;
use waypost_backends::encoder::outline;

use crate::cli::encoder::EncoderListArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{encoders, output};

pub(super) fn run(args: &EncoderListArgs, config: &Config) -> Result<u8, Failure> {
    let names = encoders::names(config)?;
    let used = config.encoder.name.as_deref();
    if names.is_empty() && !args.json {
        output::line("there are no encoders")?;
        output::note("hint: `waypost encoder add NAME` downloads one, `… add PATH` copies one");
        return Ok(0);
    }
    let mut records = Vec::new();
    for name in &names {
        let folder = encoders::place(config, name)?;
        let (size, is_used) = (encoders::size(&folder), used == Some(name));
        let record = match outline(&folder) {
            Ok(outline) => json!({
                "name": name,
                "kind": outline.kind,
                "dimensions": outline.dimensions,
                "layers": outline.layers,
                "bytes": size,
                "used": is_used,
            }),
            Err(error) => json!({ "name": name, "used": is_used, "fault": error.message() }),
        };
        records.push(record);
    }
    if args.json {
        output::json_pretty(&records)?;
        return Ok(0);
    }
    for record in &records {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        let mark = if record["used"] == true { "  (in use)" } else { "" };
        output::line(match record["fault"].as_str() {
            Some(fault) => format!("{:30}  {fault}{mark}", text("name")),
            None => format!(
                "{:30}  {}, {} layers, {} dimensions, {} MB{mark}",
                text("name"),
                text("kind"),
                record["layers"],
                record["dimensions"],
                record["bytes"].as_u64().unwrap_or_default() / 1_000_000
            ),
        })?;
    }
    Ok(0)
}
