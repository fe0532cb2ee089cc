//! Checks results against the schemas that their tools promise. The schemas are asked for with the first
//! result, and anew after the list of tools has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;
use waypost_core::ports::tools::ToolResult;
use waypost_core::schema::{Check, Schema};

use crate::bounds::detail;

/// The promises of a server's tools.
#[derive(Debug, Default)]
pub(super) struct Promises(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The count of changes at which the schemas were asked for.
    asked: Option<u64>,
    outputs: BTreeMap<String, Value>,
    /// Those that were compiled; nothing where that cannot be.
    compiled: BTreeMap<String, Option<Arc<Schema>>>,
}

impl Promises {
    /// Notes in a result whether it is what its tool promises; one that was cut cannot be. `changes` is how
    /// often the list has changed, and `outputs` lists the schemas of results by tool.
    pub(super) async fn checked(
        &self,
        (server, tool): (&str, &str),
        result: ToolResult,
        changes: u64,
        outputs: impl Future<Output = BTreeMap<String, Value>>,
    ) -> ToolResult {
        if result.left_out > 0 {
            return result;
        }
        let Some(schema) = self.schema((server, tool), changes, outputs).await else {
            return result;
        };
        match schema.check(&result.value) {
            Check::Fits => result,
            Check::Misfits(misfits) => {
                let fault = misfits.first().map(|misfit| detail(&misfit.detail));
                ToolResult { fault, ..result }
            }
            Check::Unchecked => {
                let what = "a result is too large for its schema, and stays unchecked";
                tracing::warn!(server, tool, "{what}");
                result
            }
        }
    }

    /// The schema that a tool's results must match. One that breaks a bound promises nothing.
    async fn schema(
        &self,
        (server, tool): (&str, &str),
        changes: u64,
        outputs: impl Future<Output = BTreeMap<String, Value>>,
    ) -> Option<Arc<Schema>> {
        let mut known = self.0.lock().await;
        if known.asked != Some(changes) {
            let outputs = outputs.await;
            *known = Known { asked: Some(changes), outputs, compiled: BTreeMap::new() };
        }
        let Known { outputs, compiled, .. } = &mut *known;
        let promised = outputs.get(tool)?;
        let schema = compiled.entry(tool.to_owned()).or_insert_with(|| {
            let schema = Schema::compile(promised).inspect_err(|error| {
                let error = detail(error);
                tracing::warn!(server, tool, error, "results stay unchecked");
            });
            schema.ok().map(Arc::new)
        });
        schema.clone()
    }
}
