//! The caller named the route: nobody else is asked. Gates still are.

use async_trait::async_trait;
use waypost_core::error::{Error, Result};
use waypost_core::records::decision::LayerName;

use super::{Aim, DecisionDependencies, Draft, Layer, Step};
use crate::pack::did_you_mean;
use crate::turn::Turn;

#[derive(Debug)]
pub(super) struct Declared;

#[async_trait]
impl Layer for Declared {
    fn name(&self) -> LayerName {
        LayerName::Declared
    }

    async fn decide(
        &self,
        turn: &Turn<'_>,
        _: &DecisionDependencies<'_>,
        _: Option<&Draft>,
    ) -> Result<Step> {
        let Some(name) = &turn.request.route else { return Ok(Step::Abstained(None)) };
        if turn.pack.route(name).is_none() {
            let routes = turn.pack.spec.routes.iter().map(|route| route.name.as_str());
            let message = format!("the pack `{}` has no route `{name}`", turn.pack.spec.name);
            return Err(Error::invalid(message).with_hint(did_you_mean(name, routes)));
        }
        let aim = Aim::Route(name.clone());
        Ok(Step::Decided(Draft::sure(LayerName::Declared, aim, "the caller named the route")))
    }
}
