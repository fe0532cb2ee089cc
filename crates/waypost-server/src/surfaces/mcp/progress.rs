//! Passes on how far the work of a call is, to a client that asked for it.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc::Receiver;
use waypost::ports::tools::Progress;
use waypost::records::answer::Part;

/// The reports to a client.
pub(super) struct Reports {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    /// The tool whose progress is passed on as it is, until another one reports.
    tool: Option<String>,
    /// True once two tools reported: their numbers do not go together, so reports are counted.
    several: bool,
    sent: f64,
}

/// Passes on what the work of a turn reports, until the turn has ended.
pub(super) async fn pass_on(reports: &mut Option<Reports>, mut pieces: Receiver<Part>) {
    while let Some(part) = pieces.recv().await {
        match (&mut *reports, part) {
            (Some(reports), Part::ToolProgress { tool, progress }) => {
                reports.tool(tool, progress).await;
            }
            (Some(reports), Part::Phase(phase)) => reports.phase(phase.content).await,
            _ => {}
        }
    }
}

impl Reports {
    /// Those of a call, if its client asked for any.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        let peer = context.peer.clone();
        Some(Self { peer, token, tool: None, several: false, sent: 0.0 })
    }

    /// The protocol wants each report to be further than the one before.
    async fn tool(&mut self, tool: String, progress: Progress) {
        self.several |= self.tool.as_ref().is_some_and(|first| *first != tool);
        let done = if self.several { self.sent + 1.0 } else { progress.done };
        if done <= self.sent {
            return;
        }
        self.sent = done;
        let message = match progress.message.as_str() {
            "" => tool.clone(),
            message => format!("{tool}: {message}"),
        };
        let total = progress.total.filter(|_| !self.several);
        self.tool.get_or_insert(tool);
        self.notify(message, total).await;
    }

    /// Passes on which phase the work is in; the numbers of tools count no further then.
    async fn phase(&mut self, content: String) {
        self.several = true;
        self.sent += 1.0;
        self.notify(content, None).await;
    }

    async fn notify(&self, message: String, total: Option<f64>) {
        let mut report = ProgressNotificationParam::new(self.token.clone(), self.sent);
        report.total = total;
        report.message = Some(message);
        // A client that has gone gets no answer either.
        let _ = self.peer.notify_progress(report).await;
    }
}
