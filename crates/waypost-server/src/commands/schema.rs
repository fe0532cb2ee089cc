//! `waypost schema`: the JSON Schema of a pack.

use crate::failure::Failure;
use crate::output;

pub(super) fn run() -> Result<u8, Failure> {
    output::json_pretty(&waypost::pack::Pack::schema())?;
    Ok(0)
}
