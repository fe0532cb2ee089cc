//! Measures how many texts a second the encoder serves to 1, 8 and 32 callers at a time, through
//! its queue: `cargo xtask bench encoder` runs it and makes a table of what it prints.
//!
//!     cargo run -p waypost-backends --features encoder --example callers -- MODEL
//!
//! The kernels are optimized in every profile, so this one needs none of its own.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use waypost_backends::encoder::{LocalEncoder, Precision};
use waypost_core::ports::encoder::Encoder;

const CALLERS: [usize; 3] = [1, 8, 32];
const TIME: Duration = Duration::from_secs(4);
/// A text of 11 tokens with most encoders.
const TEXT: &str = "how warm is the sea near our coast";

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let model = std::env::args().nth(1).ok_or("which model?")?;
    for precision in [Precision::F32, Precision::Int8] {
        let encoder = LocalEncoder::open(Path::new(&model), precision)?;
        let encoder: Arc<dyn Encoder> = Arc::new(encoder);
        for callers in CALLERS {
            let (texts, mut times) = serve(&encoder, callers).await?;
            times.sort_unstable();
            let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6;
            print(&format!(
                "{{\"precision\":\"{}\",\"callers\":{callers},\"per_second\":{:.1},\"p50_us\":{:.1},\"p90_us\":{:.1}}}",
                precision.name(),
                texts as f64 / TIME.as_secs_f64(),
                at(50),
                at(90)
            ));
        }
    }
    Ok(())
}

/// Returns how many texts were encoded, and how long each caller waited.
async fn serve(encoder: &Arc<dyn Encoder>, callers: usize) -> Outcome<(usize, Vec<Duration>)> {
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let (encoder, next) = (Arc::clone(encoder), Arc::clone(&next));
            tokio::spawn(async move {
                let mut times = Vec::new();
                while started.elapsed() < TIME {
                    let number = next.fetch_add(1, Ordering::Relaxed) % 10;
                    let asked = Instant::now();
                    encoder.encode(&format!("{TEXT} {number}")).await?;
                    times.push(asked.elapsed());
                }
                Ok::<_, waypost_core::Error>(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    Ok((times.len(), times))
}

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn print(text: &str) {
    println!("{text}");
}
