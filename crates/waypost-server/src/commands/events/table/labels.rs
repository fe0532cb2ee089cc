//! The labels of the store, by the decisions that they are about.

use std::collections::HashMap;

use waypost::ports::store::{Filter, Store};
use waypost::records::label::{Label, LabelKind, Verdict};
use waypost_backends::stores::SqliteStore;

use super::super::PAGE;
use crate::failure::Failure;

/// A label without the words that it is about, which its decision has as well.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) kind: LabelKind,
    pub(super) verdict: Verdict,
}

/// The strongest label of every decision; of two of a kind the latest.
#[derive(Debug, Default)]
pub(super) struct Labels(HashMap<String, Said>);

impl Labels {
    /// The labels of the packs whose decisions a filter takes.
    pub(super) async fn read(store: &SqliteStore, filter: &Filter) -> Result<Self, Failure> {
        let mut labels = Self::default();
        for pack in packs(store, filter).await? {
            let mut from = Some(0);
            while let Some(at) = from {
                let page = store.labels(&pack, at, PAGE).await?;
                page.labels.into_iter().for_each(|label| labels.add(label));
                from = page.next;
            }
        }
        Ok(labels)
    }

    pub(super) fn of(&self, decision_id: &str) -> Option<&Said> {
        self.0.get(decision_id)
    }

    fn add(&mut self, label: Label) {
        let Label { decision_id, kind, verdict, .. } = label;
        if self.0.get(&decision_id).is_none_or(|known| known.kind <= kind) {
            self.0.insert(decision_id, Said { kind, verdict });
        }
    }
}

/// The packs whose decisions a filter takes.
async fn packs(store: &SqliteStore, filter: &Filter) -> Result<Vec<String>, Failure> {
    if let Some(pack) = &filter.pack {
        return Ok(vec![pack.clone()]);
    }
    let mut packs = std::collections::BTreeSet::new();
    let mut from = Some(0);
    while let Some(at) = from {
        let page = store.page(filter, at, PAGE).await?;
        packs.extend(page.records.into_iter().map(|record| record.pack));
        from = page.next;
    }
    Ok(packs.into_iter().collect())
}
