//! Takes personal data out of what a model is sent.

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use waypost_core::Result;
use waypost_core::ports::model::{Message, Model, Pieces, Prompt, Reply, Usage};
use waypost_text::redact::redact;

/// A model that sees no e-mail and IP addresses, no phone, card, account and other long numbers. It cannot tell them back: a value
/// that it would have to read out of such words is read by the words alone, or asked for.
#[derive(Debug)]
pub struct Redacted<M>(pub M);

fn clean(prompt: &Prompt) -> Prompt {
    let messages = prompt.messages.iter().map(|message| Message {
        role: message.role,
        content: redact(&message.content).into_owned(),
    });
    Prompt { messages: messages.collect(), ..prompt.clone() }
}

#[async_trait]
impl<M: Model> Model for Redacted<M> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn cost(&self, usage: Usage) -> f64 {
        self.0.cost(usage)
    }

    async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Reply> {
        self.0.complete(&clean(prompt), cancel).await
    }

    async fn stream(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Pieces> {
        self.0.stream(&clean(prompt), cancel).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use waypost_core::Error;
    use waypost_core::ports::model::Speaker;

    use super::*;

    #[derive(Debug, Default)]
    struct Heard(Mutex<Vec<String>>);

    #[async_trait]
    impl Model for Heard {
        fn name(&self) -> &'static str {
            "heard"
        }

        async fn complete(&self, prompt: &Prompt, _: &CancellationToken) -> Result<Reply> {
            let words = prompt.messages.iter().map(|message| message.content.clone());
            self.0.lock().unwrap().extend(words);
            Ok(Reply { text: String::new(), usage: None, truncated: false })
        }

        async fn stream(&self, _: &Prompt, _: &CancellationToken) -> Result<Pieces> {
            Err(Error::unavailable("it only hears"))
        }
    }

    #[tokio::test]
    async fn a_model_hears_the_words_and_no_address() {
        let model = Redacted(Heard::default());
        let content = "tides at Keelung, mail them to ana@example.com".to_owned();
        let prompt = Prompt {
            messages: vec![Message { role: Speaker::User, content }],
            schema: None,
            tool_tokens: 0,
            max_tokens: 1,
            temperature: 0.0,
            timeout: Duration::from_secs(1),
        };
        model.complete(&prompt, &CancellationToken::new()).await.unwrap();
        let heard = model.0.0.lock().unwrap().join("\n");
        assert!(
            heard.contains("tides at Keelung") && !heard.contains("ana@example.com"),
            "{heard}"
        );
    }
}
