//! Draws pictures of SVG as PNG: clients of MCP show the kinds that models take, and SVG is none of them.
//!
//! What is drawn comes from a tool server, so it is bounded in bytes, elements, layers and pixels, reads no file, and is waited for
//! only so long. A picture that cannot be drawn stays as it is.

use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Group, ImageHrefResolver, Node, Options, Tree, fontdb};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::Instant;
use waypost::ports::tools::Image;

/// The kind of pictures that are drawn, and the kind that they become.
pub(super) const SVG: &str = "image/svg+xml";
const PNG: &str = "image/png";

/// The largest picture that is drawn, in bytes of SVG.
const MAX_BYTES: usize = 1024 * 1024;
/// The most elements, each as often as others refer to it.
const MAX_ELEMENTS: usize = 20_000;
/// The most layers on top of each other; each has as many pixels as the picture.
const MAX_LAYERS: usize = 16;
/// The longest side of what is drawn, in pixels: about what models look at.
const MAX_SIDE: f32 = 1200.0;
/// The most that a small picture is enlarged.
const MAX_SCALE: f32 = 2.0;
/// The most that are drawn at once.
const AT_ONCE: usize = 2;
/// The longest wait for the pictures of an answer; what is not drawn by then is drawn for nobody.
const PATIENCE: Duration = Duration::from_secs(5);
/// The stack of a thread that draws: elements lie up to 1,024 deep.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Draws pictures, with the fonts of this machine.
#[derive(Debug)]
pub(super) struct Painter {
    /// Found when the first picture is drawn.
    fonts: Arc<OnceLock<Arc<fontdb::Database>>>,
    places: Arc<Semaphore>,
}

impl Default for Painter {
    fn default() -> Self {
        Self { fonts: Arc::default(), places: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl Painter {
    /// The pictures of an answer: as PNG those of SVG that can be drawn, the others as they are.
    pub(super) async fn as_png(&self, images: Vec<Image>) -> Vec<Image> {
        let until = Instant::now() + PATIENCE;
        let mut drawn = Vec::with_capacity(images.len());
        for image in images {
            drawn.push(self.one(image, until).await);
        }
        drawn
    }

    async fn one(&self, image: Image, until: Instant) -> Image {
        if image.mime != SVG || image.data.len() / 4 * 3 > MAX_BYTES {
            return image;
        }
        match tokio::time::timeout_at(until, self.drawn(image.data.clone())).await {
            Ok(Some(data)) => Image { mime: PNG.to_owned(), data, ..image },
            Ok(None) | Err(_) => image,
        }
    }

    async fn drawn(&self, svg: String) -> Option<String> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let (fonts, (done, drawn)) = (Arc::clone(&self.fonts), oneshot::channel());
        // A thread of its own: it may take long, and what fails in it ends with it.
        let draws = thread::Builder::new().name("picture".to_owned()).stack_size(STACK_BYTES);
        let started = draws.spawn(move || {
            let png = draw(&svg, fonts.get_or_init(|| Arc::new(system_fonts())));
            drop(place);
            // Nobody may wait any more.
            let _ = done.send(png);
        });
        started.ok()?;
        drawn.await.ok()?
    }
}

/// PNG of SVG, both in base64.
fn draw(svg: &str, fonts: &Arc<fontdb::Database>) -> Option<String> {
    let options = Options {
        fontdb: Arc::clone(fonts),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_data(&BASE64.decode(svg).ok()?, &options).ok()?;
    if !is_bounded(tree.root(), MAX_LAYERS, &mut { MAX_ELEMENTS }) {
        return None;
    }
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = (MAX_SIDE / width.max(height)).min(MAX_SCALE);
    let side = |length: f32| (length * scale).ceil().clamp(1.0, MAX_SIDE) as u32;
    let mut pixels = Pixmap::new(side(width), side(height))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    Some(BASE64.encode(pixels.encode_png().ok()?))
}

/// Takes the elements of a group from those that are `left`, and returns whether they sufficed. The groups that are left after a
/// picture was read are layers; one with filters costs too much.
fn is_bounded(group: &Group, layers: usize, left: &mut usize) -> bool {
    let Some(layers) = layers.checked_sub(1).filter(|_| group.filters().is_empty()) else {
        return false;
    };
    group.children().iter().all(|node| {
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        let mut fits = match node {
            Node::Group(inner) => is_bounded(inner, layers, left),
            _ => true,
        };
        node.subroots(|root| fits = fits && is_bounded(root, layers, left));
        fits
    })
}

/// The fonts of this machine. Where it has none of a usual name, the first one stands for all.
fn system_fonts() -> fontdb::Database {
    let mut fonts = fontdb::Database::new();
    fonts.load_system_fonts();
    let first = fonts.faces().find_map(|face| Some(face.families.first()?.0.clone()));
    let Some(first) = first else { return fonts };
    let has = |family: fontdb::Family<'_>| {
        let query = fontdb::Query { families: &[family], ..Default::default() };
        fonts.query(&query).is_some()
    };
    let (serif, sans) = (has(fontdb::Family::Serif), has(fontdb::Family::SansSerif));
    let monospace = has(fontdb::Family::Monospace);
    if !serif {
        fonts.set_serif_family(first.clone());
    }
    if !sans {
        fonts.set_sans_serif_family(first.clone());
    }
    if !monospace {
        fonts.set_monospace_family(first);
    }
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(svg: &str) -> Image {
        Image { mime: SVG.to_owned(), title: "tide".to_owned(), data: BASE64.encode(svg) }
    }

    async fn made_of(image: Image) -> Image {
        Painter::default().as_png(vec![image]).await.remove(0)
    }

    /// The pixels of a picture that was drawn.
    async fn drawn(svg: &str) -> Pixmap {
        let image = made_of(picture(svg)).await;
        assert_eq!((image.mime.as_str(), image.title.as_str()), (PNG, "tide"));
        Pixmap::decode_png(&BASE64.decode(image.data).unwrap()).unwrap()
    }

    #[tokio::test]
    async fn a_picture_of_svg_is_drawn() {
        let head = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
        let half = format!(
            "{head} width=\"300\" height=\"150\"><rect width=\"150\" height=\"150\" fill=\"#f00\"/></svg>"
        );
        let pixels = drawn(&half).await;
        assert_eq!((pixels.width(), pixels.height()), (600, 300));
        let red = |x, y| pixels.pixel(x, y).unwrap().red();
        assert_eq!((red(100, 100), red(500, 100)), (255, 0));
        // However large it says it is.
        let wide =
            format!("{head} viewBox=\"0 0 900000 10\"><rect width=\"9\" height=\"9\"/></svg>");
        assert_eq!(drawn(&wide).await.width(), MAX_SIDE as u32);
    }

    #[tokio::test]
    async fn what_cannot_be_drawn_stays_as_it_is() {
        let deep = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\">{}{}</svg>",
            "<g>".repeat(100_000),
            "</g>".repeat(100_000)
        );
        let large =
            format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>", " ".repeat(MAX_BYTES));
        for svg in ["", "<svg", "no picture", "<html/>", deep.as_str(), large.as_str()] {
            assert_eq!(made_of(picture(svg)).await, picture(svg));
        }
        let other = Image { mime: "image/jpeg".to_owned(), ..picture("x") };
        assert_eq!(made_of(other.clone()).await, other);
        let broken = Image { data: "no base64!".to_owned(), ..picture("x") };
        assert_eq!(made_of(broken.clone()).await, broken);
    }

    #[tokio::test]
    async fn what_would_take_too_much_memory_or_time_stays_as_it_is() {
        let rect = "<rect width=\"9\" height=\"9\"/>";
        let layers = |count: usize| {
            format!("{}{rect}{}", "<g opacity=\"0.9\">".repeat(count), "</g>".repeat(count))
        };
        // Each mask is drawn as often as the elements of the one around it ask for it.
        let masks = (1..10).fold("<mask id=\"m0\"/>".to_owned(), |masks, at| {
            let masked = format!("<g mask=\"url(#m{})\">{rect}</g>", at - 1).repeat(10);
            format!("{masks}<mask id=\"m{at}\">{masked}</mask>")
        });
        let masked = format!("{masks}<g mask=\"url(#m9)\">{rect}</g>");
        let filter = "<filter id=\"f\"><feGaussianBlur stdDeviation=\"9\"/></filter>\
                      <g filter=\"url(#f)\"><rect width=\"9\" height=\"9\"/></g>";
        let whole = |inner: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90\" height=\"90\">{inner}</svg>"
            )
        };
        let many = rect.repeat(MAX_ELEMENTS + 1);
        for inner in [layers(MAX_LAYERS + 1).as_str(), &masked, filter, &many] {
            let svg = picture(&whole(inner));
            assert_eq!(made_of(svg.clone()).await, svg, "{inner:.60}");
        }
        drawn(&whole(&layers(MAX_LAYERS / 2))).await;
    }

    #[tokio::test]
    async fn nothing_of_the_machine_is_drawn_into_a_picture() {
        let file = tempfile::NamedTempFile::with_suffix(".svg").unwrap();
        let red = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\">\
                   <rect width=\"10\" height=\"10\" fill=\"#f00\"/></svg>";
        std::fs::write(file.path(), red).unwrap();
        let place = file.path().display();
        let data = BASE64.encode(red);
        for href in
            [format!("{place}"), format!("file://{place}"), format!("data:{SVG};base64,{data}")]
        {
            let pixels = drawn(&format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\">\
                 <image href=\"{href}\" width=\"10\" height=\"10\"/></svg>"
            ))
            .await;
            assert!(pixels.pixels().iter().all(|pixel| pixel.alpha() == 0), "{href}");
        }
    }
}
