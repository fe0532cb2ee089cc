//! Callers, and what each may do.

use std::sync::Arc;

use waypost::records::request::Request;
use waypost::{Code, Error, Result};

use crate::keys::{Allowed, Key, Scope};

/// A caller: one with a key, or where no keys are needed anybody on this machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caller {
    key: Option<Arc<Key>>,
    /// True for whoever started this program over its own streams.
    own: bool,
}

impl Caller {
    /// Anybody on this machine, where no keys are needed: asks and labels, and is not believed.
    pub(crate) fn local() -> Self {
        Self::default()
    }

    /// Whoever started this program: may do all.
    pub(crate) fn own() -> Self {
        Self { key: None, own: true }
    }

    /// The caller with a key.
    pub(crate) fn with_key(key: Arc<Key>) -> Self {
        Self { key: Some(key), own: false }
    }

    /// The id of its key.
    pub(crate) fn key_id(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.id.as_str())
    }

    /// Its key.
    pub(crate) fn key(&self) -> Option<&Key> {
        self.key.as_deref()
    }

    /// Returns whether it may do something.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        match &self.key {
            Some(key) => key.scopes.contains(&scope),
            None => self.own || matches!(scope, Scope::Ask | Scope::Label),
        }
    }

    /// Lets it do something.
    ///
    /// # Errors
    ///
    /// `PERMISSION_DENIED`.
    pub(crate) fn needs(&self, scope: Scope) -> Result<()> {
        if self.may(scope) {
            return Ok(());
        }
        let (message, hint) = match &self.key {
            Some(_) => (
                format!("this key has not the scope `{}`", scope.name()),
                "use a key that has it; `waypost keys` lists them",
            ),
            None => (
                format!("this needs a key with the scope `{}`", scope.name()),
                "make one where the server runs: `waypost keys add NAME --scope admin`",
            ),
        };
        Err(Error::new(Code::PermissionDenied, message).with_hint(hint))
    }

    /// Returns whether it may ask a pack.
    pub(crate) fn may_ask(&self, pack: &str) -> bool {
        self.key.as_ref().is_none_or(|key| key.packs.has(pack))
    }

    /// Returns whether its requests may be passed on to a configured model.
    pub(crate) fn may_use_model(&self, model: &str) -> bool {
        self.key.as_ref().is_none_or(|key| key.models().has(model))
    }

    /// The tools that it may use, where not all of them are.
    pub(crate) fn tools(&self) -> Option<Arc<[String]>> {
        match &self.key.as_ref()?.tools {
            Allowed::All => None,
            Allowed::Only(names) => Some(names.iter().cloned().collect()),
        }
    }

    /// The request as it counts from this caller: what it may not say is taken out.
    pub(crate) fn admitted(&self, request: Request) -> Request {
        let mut request = match request.trusted && self.may(Scope::Trusted) {
            true => request,
            false => request.distrusted(),
        };
        request.tools = self.tools();
        request.owner = self.key_id().map(Arc::from);
        request.owner_name = self.key().map(|key| Arc::from(key.name.as_str()));
        request
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn caller(scopes: &[Scope], packs: &[&str], tools: &[&str]) -> Caller {
        of_key("00000001", scopes, packs, tools)
    }

    /// A caller with a key.
    pub(crate) fn of_key(id: &str, scopes: &[Scope], packs: &[&str], tools: &[&str]) -> Caller {
        let owned = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Allowed::options(&names)
        };
        Caller::with_key(Arc::new(Key {
            id: id.to_owned(),
            name: "k".to_owned(),
            secrets: Vec::new(),
            scopes: scopes.iter().copied().collect(),
            packs: owned(packs),
            tools: owned(tools),
            models: None,
            per_minute: None,
            per_day: None,
            tokens_per_day: None,
            created: Timestamp::UNIX_EPOCH,
            expires: None,
            revoked: None,
        }))
    }

    #[test]
    fn a_caller_is_believed_who_has_the_scope_and_says_so() {
        for (caller, trusted, believed) in [
            (caller(&[Scope::Ask, Scope::Trusted], &[], &[]), true, true),
            (caller(&[Scope::Ask, Scope::Trusted], &[], &[]), false, false),
            (caller(&[Scope::Ask, Scope::Admin], &[], &[]), true, false),
            (Caller::local(), true, false),
            (Caller::own(), true, true),
        ] {
            let mut request = Request { trusted, ..Request::new("hello") };
            request.context.flags.insert("done".to_owned(), json!(true));
            let admitted = caller.admitted(request);
            assert_eq!(admitted.trusted, believed, "{caller:?}");
            assert_eq!(admitted.context.flags.is_empty(), !believed, "{caller:?}");
        }
    }

    #[test]
    fn a_key_may_ask_its_packs_and_use_its_tools() {
        let some = caller(&[Scope::Ask], &["ocean"], &["tide.forecast"]);
        assert!(some.may_ask("ocean") && !some.may_ask("malaria"));
        let request = some.admitted(Request::new("x"));
        assert!(request.may_use("tide.forecast") && !request.may_use("other"));
        let all = caller(&[Scope::Ask], &[], &[]);
        assert!(all.may_ask("malaria") && all.admitted(Request::new("x")).may_use("other"));
        assert_eq!(all.needs(Scope::Admin).unwrap_err().code(), Code::PermissionDenied);
        assert!(Caller::local().needs(Scope::Admin).is_err());
    }
}
