//! Tells which tools are not what was accepted: their servers say something else of them now. Execution refuses such a
//! tool at its call; this says so beforehand, to whoever operates the program.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::warn;
use waypost::pack::spec::ToolSpec;
use waypost::pack::{Pack, Tool, is_changed};
use waypost::ports::tools::ToolDescription;
use waypost::respond::execution::Servers;

/// The longest wait for a server's list.
const PATIENCE: Duration = Duration::from_secs(60);

/// Looks at the servers of a pack with a lock, beside the turns.
pub(crate) fn watch(pack: &Pack, servers: &Servers) {
    for (name, server) in servers {
        let own = pack.tools.iter().filter(|tool| tool.spec.server == *name);
        let locked: Vec<(ToolSpec, String)> =
            own.filter_map(|tool| Some((tool.spec.clone(), tool.accepted()?.to_owned()))).collect();
        if locked.is_empty() {
            continue;
        }
        let server = std::sync::Arc::clone(server);
        tokio::spawn(async move {
            let cancel = CancellationToken::new();
            // A server that does not answer is told of when its tool is called.
            let Ok(Ok(listed)) = tokio::time::timeout(PATIENCE, server.list(&cancel)).await else {
                return;
            };
            let changed =
                locked.iter().filter(|(tool, accepted)| is_changed(tool, accepted, &listed));
            let names: Vec<&str> = changed.map(|(tool, _)| tool.name.as_str()).collect();
            if !names.is_empty() {
                let names = names.join(", ");
                warn!(
                    "in quarantine, since their server says something else of them than what was accepted: {names} \
                     (hint: `waypost tools accept` shows and accepts it)"
                );
            }
        });
    }
}

/// The tools of a pack that are not what was accepted, by what their server lists.
pub(crate) fn changed<'a>(
    pack: &'a Pack,
    server: &str,
    listed: &[ToolDescription],
) -> Vec<&'a Tool> {
    let own = pack.tools.iter().filter(|tool| tool.spec.server == server);
    own.filter(|tool| {
        tool.accepted().is_some_and(|accepted| is_changed(&tool.spec, accepted, listed))
    })
    .collect()
}
