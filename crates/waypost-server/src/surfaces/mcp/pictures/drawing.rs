//! This program as one that draws pictures and is nothing else: SVG on standard input, PNG on standard output.
//!
//! What is drawn is bounded in bytes, elements, layers and pixels, and reads no file. That bounds no time and little memory, so the
//! process has bounds of its own: an address space of four gigabytes, and five seconds. Whoever started it kills it earlier where
//! nobody waits any more.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::sync::{Arc, mpsc};
use std::thread;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ClipPath, Group, ImageHrefResolver, Mask, Node, Options, Tree, fontdb};

use super::{DRAW, MAX_BYTES, PATIENCE};

/// The most elements, each as often as others refer to it.
const MAX_ELEMENTS: usize = 20_000;
/// The most layers on top of each other; each has as many pixels as the picture.
const MAX_LAYERS: usize = 16;
/// The longest side of what is drawn, in pixels: about what models look at.
const MAX_SIDE: f32 = 1200.0;
/// The most that a small picture is enlarged.
const MAX_SCALE: f32 = 2.0;
/// The stack of the thread that draws: elements lie up to 1,024 deep.
const STACK_BYTES: usize = 16 * 1024 * 1024;
/// The largest address space. The allocator reserves one gigabyte of it at a time; the layers of the largest picture take a tenth of
/// a gigabyte.
#[cfg(target_os = "linux")]
const MAX_MEMORY_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Runs this process as one that draws, if its arguments say so, and returns the status that it ends with. To be called before
/// there are threads.
pub(crate) fn invoked(mut arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    if arguments.next()? != DRAW {
        return None;
    }
    #[cfg(target_os = "linux")]
    bound_memory();
    let (done, drawn) = mpsc::channel();
    let draws = thread::Builder::new().stack_size(STACK_BYTES);
    let started = draws.spawn(move || done.send(draw_all(io::stdin().lock(), io::stdout().lock())));
    // Whoever started this process may have been killed, and then nobody else ends it.
    let is_done = started.is_ok() && matches!(drawn.recv_timeout(PATIENCE), Ok(Ok(())));
    Some(u8::from(!is_done))
}

/// Bounds the memory of this process, and has it leave none of it on the disk when it ends by that.
#[cfg(target_os = "linux")]
fn bound_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (resource, most) in [(Resource::As, MAX_MEMORY_BYTES), (Resource::Core, 0)] {
        // It fails where a lower bound is set already.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

/// Draws pictures until the input ends. Each comes and goes after its number of bytes; one that cannot be drawn has none.
fn draw_all(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let options = options();
    let mut length = [0; 4];
    while input.read_exact(&mut length).is_ok() {
        let length = usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?;
        if length > MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut svg = vec![0; length];
        input.read_exact(&mut svg)?;
        let png = draw(&svg, &options).unwrap_or_default();
        output.write_all(&u32::try_from(png.len()).map_err(io::Error::other)?.to_be_bytes())?;
        output.write_all(&png)?;
        output.flush()?;
    }
    Ok(())
}

/// The fonts of this machine, and nothing else of it.
fn options() -> Options<'static> {
    Options {
        fontdb: Arc::new(system_fonts()),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    }
}

/// PNG of SVG.
fn draw(svg: &[u8], options: &Options<'_>) -> Option<Vec<u8>> {
    let tree = Tree::from_data(svg, options).ok()?;
    if !is_bounded(tree.root(), MAX_LAYERS, &mut { MAX_ELEMENTS }) {
        return None;
    }
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = (MAX_SIDE / width.max(height)).min(MAX_SCALE);
    let side = |length: f32| (length * scale).ceil().clamp(1.0, MAX_SIDE) as u32;
    let mut pixels = Pixmap::new(side(width), side(height))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().ok()
}

/// Takes the elements of a group from those that are `left`, and returns whether they sufficed. The groups that are left after a
/// picture was read are layers; one with filters costs too much.
fn is_bounded(group: &Group, layers: usize, left: &mut usize) -> bool {
    // Of a mask on a mask on a mask, and of clip paths likewise, the third is not among those that are walked below.
    let third_mask = group.mask().and_then(Mask::mask).and_then(Mask::mask);
    let third_clip = group.clip_path().and_then(ClipPath::clip_path).and_then(ClipPath::clip_path);
    if third_mask.is_some() || third_clip.is_some() {
        return false;
    }
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
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD as BASE64;

    use super::super::SVG;
    use super::*;

    /// The pixels of a picture, if it can be drawn.
    fn pixels(svg: &str) -> Option<Pixmap> {
        let svg = svg.as_bytes().to_vec();
        let draws = thread::Builder::new().stack_size(STACK_BYTES);
        let png = draws.spawn(move || draw(&svg, &options())).unwrap().join().unwrap();
        png.map(|png| Pixmap::decode_png(&png).unwrap())
    }

    fn drawn(svg: &str) -> Pixmap {
        pixels(svg).expect("a picture")
    }

    #[test]
    fn a_picture_of_svg_is_drawn() {
        let head = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
        let half = format!(
            "{head} width=\"300\" height=\"150\"><rect width=\"150\" height=\"150\" fill=\"#f00\"/></svg>"
        );
        let pixels = drawn(&half);
        assert_eq!((pixels.width(), pixels.height()), (600, 300));
        let red = |x, y| pixels.pixel(x, y).unwrap().red();
        assert_eq!((red(100, 100), red(500, 100)), (255, 0));
        // However large it says it is.
        let wide =
            format!("{head} viewBox=\"0 0 900000 10\"><rect width=\"9\" height=\"9\"/></svg>");
        assert_eq!(drawn(&wide).width(), MAX_SIDE as u32);
    }

    #[test]
    fn what_is_no_picture_is_not_drawn() {
        let deep = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\">{}{}</svg>",
            "<g>".repeat(100_000),
            "</g>".repeat(100_000)
        );
        for svg in ["", "<svg", "no picture", "<html/>", deep.as_str()] {
            assert!(pixels(svg).is_none(), "{svg:.60}");
        }
    }

    #[test]
    fn what_would_take_too_much_memory_or_time_is_not_drawn() {
        let rect = "<rect width=\"9\" height=\"9\"/>";
        let layers = |count: usize| {
            format!("{}{rect}{}", "<g opacity=\"0.9\">".repeat(count), "</g>".repeat(count))
        };
        let filter = "<filter id=\"f\"><feGaussianBlur stdDeviation=\"9\"/></filter>\
                      <g filter=\"url(#f)\"><rect width=\"9\" height=\"9\"/></g>";
        let whole = |inner: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90\" height=\"90\">{inner}</svg>"
            )
        };
        let many = rect.repeat(MAX_ELEMENTS + 1);
        // What is in the third is not looked into.
        let third = |kind: &str, property: &str| {
            format!(
                "<{kind} id=\"c\">{rect}</{kind}>\
                 <{kind} id=\"b\" {property}=\"url(#c)\">{rect}</{kind}>\
                 <{kind} id=\"a\" {property}=\"url(#b)\">{rect}</{kind}>\
                 <g {property}=\"url(#a)\">{rect}</g>"
            )
        };
        let (mask, clip) = (third("mask", "mask"), third("clipPath", "clip-path"));
        let layered = layers(MAX_LAYERS + 1);
        for inner in [layered.as_str(), filter, &many, &mask, &clip] {
            assert!(pixels(&whole(inner)).is_none(), "{inner:.60}");
        }
        drawn(&whole(&layers(MAX_LAYERS / 2)));
    }

    #[test]
    fn nothing_of_the_machine_is_drawn_into_a_picture() {
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
            ));
            assert!(pixels.pixels().iter().all(|pixel| pixel.alpha() == 0), "{href}");
        }
    }

    #[test]
    fn pictures_come_back_in_their_order_and_one_that_is_too_large_ends_it() {
        let framed = |svg: &str| {
            let length = u32::try_from(svg.len()).unwrap().to_be_bytes();
            [length.as_slice(), svg.as_bytes()].concat()
        };
        let square = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\">\
                      <rect width=\"1\" height=\"1\"/></svg>";
        let png = draw(square.as_bytes(), &options()).unwrap();
        let drawn = [&u32::try_from(png.len()).unwrap().to_be_bytes(), png.as_slice()].concat();
        let (good, bad) = (framed(square), framed("no picture"));

        let mut output = Vec::new();
        draw_all([good.clone(), bad, good.clone()].concat().as_slice(), &mut output).unwrap();
        assert!(output == [drawn.as_slice(), &[0; 4], &drawn].concat());

        let large = framed(&" ".repeat(MAX_BYTES + 1));
        let mut output = Vec::new();
        let ended = draw_all([good.clone(), large, good].concat().as_slice(), &mut output);
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(output == drawn);
    }
}
