//! The agent's budgets: turns, calls, time, tokens and money. What is spent is counted here; nothing is ever given back.

use std::time::Duration;

use waypost_core::records::decision::Strategy;
use waypost_core::records::usage::Usage;

use super::Stop;
use crate::pack::spec::AgentSpec;

/// What the agent has spent of what it may spend.
#[derive(Debug)]
pub(super) struct Budget<'a> {
    spec: &'a AgentSpec,
    most_turns: u32,
    pub(super) turns: u32,
    pub(super) calls: usize,
    pub(super) tokens: u64,
    pub(super) cost: f64,
}

impl<'a> Budget<'a> {
    pub(super) fn new(spec: &'a AgentSpec, strategy: Strategy) -> Self {
        let most_turns = match strategy {
            Strategy::Direct => spec.turns.direct,
            Strategy::Iterative => spec.turns.iterative,
            Strategy::Parallel => spec.turns.parallel,
        };
        Self { spec, most_turns, turns: 0, calls: 0, tokens: 0, cost: 0.0 }
    }

    /// The most turns.
    pub(super) fn most_turns(&self) -> u32 {
        self.most_turns
    }

    /// Returns whether the next turn is the last one, which answers.
    pub(super) fn is_last(&self) -> bool {
        self.turns + 1 >= self.most_turns
    }

    /// Takes a turn.
    ///
    /// # Errors
    ///
    /// The budget that has nothing left for it.
    pub(super) fn turn(&mut self, elapsed: Duration) -> Result<(), Stop> {
        if self.turns >= self.most_turns {
            return Err(Stop::Turns);
        }
        self.within(elapsed)?;
        self.turns += 1;
        Ok(())
    }

    /// Takes calls; those that were decided are taken too, however many they are.
    ///
    /// # Errors
    ///
    /// [`Stop::Calls`] where there are more than are left.
    pub(super) fn call(&mut self, calls: usize) -> Result<(), Stop> {
        if self.calls > 0 && self.calls + calls > self.spec.max_calls {
            return Err(Stop::Calls);
        }
        self.calls += calls;
        Ok(())
    }

    /// Counts the tokens of a model call and what they cost.
    pub(super) fn spend(&mut self, usage: Usage, cost: f64) {
        self.tokens = self.tokens.saturating_add(usage.prompt).saturating_add(usage.reply);
        self.cost += cost;
    }

    /// Checks time, tokens and money.
    ///
    /// # Errors
    ///
    /// The budget that is spent.
    pub(super) fn within(&self, elapsed: Duration) -> Result<(), Stop> {
        if elapsed >= Duration::from_millis(self.spec.time_ms) {
            return Err(Stop::Time);
        }
        if self.tokens >= self.spec.tokens {
            return Err(Stop::Tokens);
        }
        if self.cost > 0.0 && self.cost >= self.spec.cost {
            return Err(Stop::Money);
        }
        Ok(())
    }

    /// The tokens that a reply may have: what is left of all, where that is less.
    pub(super) fn reply(&self) -> u32 {
        let left = self.spec.tokens.saturating_sub(self.tokens).max(1);
        u32::try_from(left).unwrap_or(u32::MAX).min(self.spec.max_tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_budget_ends_the_work() {
        let spec = AgentSpec { time_ms: 10, tokens: 100, cost: 0.01, ..AgentSpec::default() };
        let usage = |prompt, reply| Usage { prompt, cached: 0, reply };
        let now = Duration::ZERO;
        let mut budget = Budget::new(&spec, Strategy::Direct);
        assert_eq!(budget.call(spec.max_calls + 4), Ok(()), "what was decided is made");
        assert_eq!(budget.call(1), Err(Stop::Calls));
        assert_eq!((budget.turn(now), budget.is_last()), (Ok(()), true));
        assert_eq!(budget.turn(Duration::from_millis(10)), Err(Stop::Time));
        budget.spend(usage(60, 0), 0.0);
        assert_eq!((budget.turn(now), budget.reply()), (Ok(()), 40));
        assert_eq!(budget.turn(now), Err(Stop::Turns));
        budget.spend(usage(0, 60), 0.0);
        assert_eq!(budget.within(now), Err(Stop::Tokens));
        let mut costly = Budget::new(&spec, Strategy::Parallel);
        assert_eq!((costly.turn(now), costly.is_last()), (Ok(()), false));
        costly.spend(usage(1, 1), 0.01);
        assert_eq!(costly.turn(now), Err(Stop::Money));
    }
}
