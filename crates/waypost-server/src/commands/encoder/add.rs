//! `waypost encoder add`: copies an encoder from a folder, or downloads it; all or nothing.

use std::fs;
use std::path::{Component, Path};

use waypost::ports::encoder::Encoder as _;
use waypost::{Code, Error};
use waypost_backends::encoder::{FILES, LocalEncoder};
use waypost_backends::hub::{Hub, Listing, Remote};

use crate::cli::encoder::EncoderAddArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{encoders, output, progress};

/// The owner of an encoder on the hub for which none is given.
const OWNER: &str = "sentence-transformers";
/// The file that says which revision a download is of.
const REVISION: &str = "revision";

pub(super) async fn run(args: &EncoderAddArgs, config: &Config) -> Result<u8, Failure> {
    let folder = Path::new(&args.source);
    let encoder = if folder.is_dir() {
        copied(args, folder, config)?
    } else if is_path(folder) {
        let message = format!("there is no folder `{}`", args.source);
        let hint = "a model of the hub is written `owner/name`";
        return Err(Failure::usage(Error::new(Code::NotFound, message).with_hint(hint)));
    } else {
        downloaded(args, config).await?
    };
    let name = name(args)?;
    let megabytes = encoders::size(&encoders::place(config, &name)?) / 1_000_000;
    let (kind, dimensions) = (encoder.inner().kind(), encoder.dimensions());
    let what = format!(": {kind}, {dimensions} dimensions, {megabytes} MB");
    output::line("added " + output::bold(&name) + what)?;
    if config.encoder.name.as_deref() != Some(&name) {
        output::note(format!("use it: WAYPOST_ENCODER={name}, or `name` under [encoder]"));
    }
    Ok(0)
}

/// Returns whether it was meant as a path: with a root, or beginning with a dot.
fn is_path(source: &Path) -> bool {
    let dotted = source.to_string_lossy().starts_with('.');
    dotted || !source.components().all(|part| matches!(part, Component::Normal(_)))
}

/// The name in the home: the one that is given, or the last part of the source.
fn name(args: &EncoderAddArgs) -> Result<String, Failure> {
    if let Some(name) = &args.name {
        return Ok(name.clone());
    }
    let source = Path::new(&args.source);
    let whole = source.canonicalize();
    let last = whole.as_deref().unwrap_or(source).file_name().unwrap_or_default();
    Ok(last.to_string_lossy().into_owned())
}

fn copied(args: &EncoderAddArgs, from: &Path, config: &Config) -> Result<LocalEncoder, Failure> {
    let name = name(args)?;
    let staged = encoders::stage(config, &name)?;
    let installed = encoders::try_out(from)
        .and_then(|()| encoders::copy(from, &staged))
        .and_then(|()| encoders::install(config, &staged, &name));
    if installed.is_err() {
        encoders::discard(&staged)?;
    }
    Ok(installed?)
}

async fn downloaded(args: &EncoderAddArgs, config: &Config) -> Result<LocalEncoder, Failure> {
    let name = name(args)?;
    let model = match args.source.matches('/').count() {
        0 => format!("{OWNER}/{}", args.source),
        _ => args.source.clone(),
    };
    // Names the fault of a name before anything is asked for.
    encoders::place(config, &name)?;
    for part in model.split('/') {
        encoders::place(config, part)?;
    }
    let hub = Hub::open(&config.encoder.hub)?;
    let listing = hub.list(&model).await?;
    let files = needed(&listing, &model)?;
    let staged = encoders::stage(config, &name)?;
    same_revision(&staged, &listing.revision)?;
    let bar = progress::bytes(files.iter().filter_map(|file| file.size).sum());
    let mut before = 0;
    for file in files {
        bar.set_message(file.name.clone());
        let into = staged.join(&file.name);
        let fetched = hub
            .fetch(&model, &listing.revision, file, &into, &mut |bytes| {
                bar.set_position(before + bytes);
            })
            .await;
        if let Err(error) = fetched {
            bar.abandon();
            return Err(error.into());
        }
        before += file.size.unwrap_or_default();
    }
    bar.finish_and_clear();
    let _ = fs::remove_file(staged.join(REVISION));
    let installed = encoders::install(config, &staged, &name);
    if installed.is_err() {
        // It is whole and still not an encoder: going on from it would lead nowhere.
        encoders::discard(&staged)?;
    }
    Ok(installed?)
}

/// The files that an encoder is read from.
fn needed<'a>(listing: &'a Listing, model: &str) -> waypost::Result<Vec<&'a Remote>> {
    let mut files = Vec::new();
    for (name, required) in FILES {
        match listing.files.iter().find(|file| file.name == name) {
            Some(file) => files.push(file),
            None if !required => {}
            None => {
                let message = format!("the model `{model}` has no file `{name}`");
                let hint = "an encoder is config.json, tokenizer.json and model.safetensors; \
                            convert it and give the folder's path";
                return Err(Error::new(Code::FailedPrecondition, message).with_hint(hint));
            }
        }
    }
    Ok(files)
}

/// Begins anew where the files that lie there are of another revision.
fn same_revision(staged: &Path, revision: &str) -> Result<(), Failure> {
    let file = staged.join(REVISION);
    if fs::read_to_string(&file).is_ok_and(|known| known == revision) {
        return Ok(());
    }
    encoders::discard(staged)?;
    fs::create_dir_all(staged.join("1_Pooling"))?;
    Ok(fs::write(file, revision)?)
}
