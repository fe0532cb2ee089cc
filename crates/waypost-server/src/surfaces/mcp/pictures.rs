//! Draws pictures of SVG as PNG: clients of MCP show the kinds that models take, and SVG is none of them.
//!
//! What is drawn comes from a tool server, so it is drawn in a process of its own ([`drawing`]), which is killed when its time is
//! over or when nobody waits for it any more: a thread could not be stopped. A picture that cannot be drawn stays as it is.

mod drawing;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;
use waypost::ports::tools::Image;

pub(crate) use drawing::invoked;

/// The kind of pictures that are drawn, and the kind that they become.
pub(super) const SVG: &str = "image/svg+xml";
const PNG: &str = "image/png";

/// The word that makes this program one that draws.
const DRAW: &str = "draw-pictures";
/// The largest picture that is drawn, in bytes of SVG.
const MAX_BYTES: usize = 1024 * 1024;
/// The largest PNG that is read: more than the pixels of the largest picture take.
const MAX_PNG_BYTES: usize = 6 * 1024 * 1024;
/// The most answers whose pictures are drawn at once.
const AT_ONCE: usize = 2;
/// The longest wait for the pictures of an answer, and the longest life of a process that draws.
const PATIENCE: Duration = Duration::from_secs(5);

/// Has pictures drawn.
#[derive(Debug)]
pub(super) struct Painter {
    program: PathBuf,
    places: Semaphore,
}

impl Default for Painter {
    fn default() -> Self {
        // By this name it is the program that runs, even where its file was replaced meanwhile.
        let program = match cfg!(target_os = "linux") {
            true => "/proc/self/exe".into(),
            false => std::env::current_exe().unwrap_or_default(),
        };
        Self { program, places: Semaphore::new(AT_ONCE) }
    }
}

impl Painter {
    /// The pictures of an answer: as PNG those of SVG that can be drawn, the others as they are.
    pub(super) async fn as_png(&self, images: Vec<Image>) -> Vec<Image> {
        let until = Instant::now() + PATIENCE;
        let mut drawer = None;
        let mut drawn = Vec::with_capacity(images.len());
        for image in images {
            drawn.push(match self.png(&image, &mut drawer, until).await {
                Some(data) => Image { mime: PNG.to_owned(), data, ..image },
                None => image,
            });
        }
        drawn
    }

    /// A picture as PNG in base64, if it is one of SVG that can be drawn in time.
    async fn png<'a>(
        &'a self,
        image: &Image,
        drawer: &mut Option<Drawer<'a>>,
        until: Instant,
    ) -> Option<String> {
        let is_large = image.data.len() / 4 * 3 > MAX_BYTES;
        if image.mime != SVG || is_large || Instant::now() >= until {
            return None;
        }
        let svg = BASE64.decode(&image.data).ok()?;
        let drawn = tokio::time::timeout_at(until, self.draw(drawer, &svg)).await.ok().flatten();
        if drawn.is_none() {
            // What it writes next would be taken for the next picture.
            *drawer = None;
        }
        drawn.filter(|png| !png.is_empty()).map(|png| BASE64.encode(png))
    }

    /// PNG of SVG, empty if it cannot be drawn; nothing if the process that draws has failed. It is started with the first picture
    /// of an answer and draws the others too, because it has to find the fonts of the machine.
    async fn draw<'a>(&'a self, drawer: &mut Option<Drawer<'a>>, svg: &[u8]) -> Option<Vec<u8>> {
        let drawer = match drawer {
            Some(drawer) => drawer,
            None => drawer.insert(self.start().await?),
        };
        drawer.draw(svg).await
    }

    async fn start(&self) -> Option<Drawer<'_>> {
        let place = self.places.acquire().await.ok()?;
        let mut process = Command::new(&self.program)
            .arg(DRAW)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .ok()?;
        let (input, output) = (process.stdin.take()?, process.stdout.take()?);
        Some(Drawer { _process: process, input, output, _place: place })
    }
}

/// A process that draws the pictures of one answer. Dropping it kills the process, and then its place is free.
#[derive(Debug)]
struct Drawer<'a> {
    _process: Child,
    input: ChildStdin,
    output: ChildStdout,
    _place: SemaphorePermit<'a>,
}

impl Drawer<'_> {
    /// Both ways go the bytes of a picture, after their number in four bytes.
    async fn draw(&mut self, svg: &[u8]) -> Option<Vec<u8>> {
        self.input.write_u32(u32::try_from(svg.len()).ok()?).await.ok()?;
        self.input.write_all(svg).await.ok()?;
        let length = usize::try_from(self.output.read_u32().await.ok()?).ok()?;
        let mut png = vec![0; Some(length).filter(|length| *length <= MAX_PNG_BYTES)?];
        self.output.read_exact(&mut png).await.ok()?;
        Some(png)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_no_process_draws_stays_as_it_is() {
        let picture = |mime: &str, data: String| Image {
            mime: mime.to_owned(),
            title: "tide".to_owned(),
            data,
        };
        let pictures = vec![
            picture(SVG, BASE64.encode("<svg xmlns=\"http://www.w3.org/2000/svg\"/>")),
            picture(SVG, "no base64!".to_owned()),
            picture(SVG, BASE64.encode(" ".repeat(MAX_BYTES + 3))),
            picture("image/jpeg", BASE64.encode("x")),
        ];
        // The program of a test answers with something else, and one that there is not with nothing.
        for painter in [Painter::default(), Painter { program: "".into(), ..Painter::default() }] {
            assert_eq!(painter.as_png(pictures.clone()).await, pictures);
            assert_eq!(painter.places.available_permits(), AT_ONCE);
        }
    }
}
