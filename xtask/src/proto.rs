//! `proto`: writes anew what is made from `proto/`: the Rust of the gRPC surface, and the descriptors for clients that
//! know no `.proto`.
//!
//! What is written is checked in, so that nobody who builds Waypost needs the generators. They are many crates, and are built
//! for this command alone: without the feature `proto`, it runs itself again with it. No `protoc` is needed.

use anyhow::Result;

use crate::only;

/// Writes the files; `--check` only tells whether they would change.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    only(arguments, &["--check"])?;
    work(arguments)
}

#[cfg(not(feature = "proto"))]
fn work(arguments: &[String]) -> Result<()> {
    use anyhow::{Context, ensure};

    let again = ["run", "--quiet", "--package", "xtask", "--features", "proto", "--", "proto"];
    let status = crate::cargo().args(again).args(arguments).status().context("cannot run cargo")?;
    ensure!(status.success(), "the files of `proto/` were not generated");
    Ok(())
}

#[cfg(feature = "proto")]
use generate::work;

#[cfg(feature = "proto")]
mod generate {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use anyhow::{Context, Result, bail, ensure};
    use protox::prost::Message;
    use tonic_prost_build::FileDescriptorSet;

    use crate::{root, say};

    const PROTO: &str = "proto/waypost/v1/assistant.proto";
    const DESCRIPTORS: &str = "proto/waypost/v1/assistant.bin";
    const RUST: &str = "crates/waypost-server/src/surfaces/http/grpc/generated.rs";
    /// Where the generators write.
    const OUT: &str = "target/proto";
    /// The beginning of the Rust, before what prost-build says of itself.
    const HEAD: &str = "//! The messages and the service of `proto/waypost/v1/assistant.proto`, as `cargo xtask proto` writes them.\n\n";

    pub(super) fn work(arguments: &[String]) -> Result<()> {
        let set = protox::compile([root().join(PROTO)], [root().join("proto")])
            .with_context(|| format!("`{PROTO}` is refused"))?;
        let files = [(RUST, rust(set.clone())?), (DESCRIPTORS, descriptors(set))];
        for (name, bytes) in files {
            let path = root().join(name);
            let changes = fs::read(&path).ok().as_ref() != Some(&bytes);
            if changes && arguments.iter().any(|argument| argument == "--check") {
                bail!("`{name}` is not what `{PROTO}` gives: run `cargo xtask proto`");
            }
            if changes {
                fs::write(&path, bytes).with_context(|| format!("cannot write `{name}`"))?;
                say(&format!("{name} is written"));
            }
        }
        Ok(())
    }

    /// The Rust, formatted as all of it.
    fn rust(set: FileDescriptorSet) -> Result<Vec<u8>> {
        let out = root().join(OUT);
        fs::create_dir_all(&out).with_context(|| format!("cannot make `{OUT}`"))?;
        tonic_prost_build::configure()
            .build_client(false)
            .build_transport(false)
            .emit_rerun_if_changed(false)
            .out_dir(&out)
            .compile_fds(set)
            .context("no Rust was generated")?;
        let file = out.join("waypost.v1.rs");
        let text = fs::read_to_string(&file).context("no Rust was generated")?;
        fs::write(&file, format!("{HEAD}{text}")).context("cannot write what was generated")?;
        format(&file)?;
        fs::read(&file).context("cannot read what was generated")
    }

    fn format(file: &Path) -> Result<()> {
        let mut rustfmt = Command::new("rustfmt");
        rustfmt.args(["--edition", "2024", "--config-path"]).arg(root()).arg(file);
        let status = rustfmt.status().context("cannot run rustfmt")?;
        ensure!(status.success(), "rustfmt refuses what was generated");
        Ok(())
    }

    /// The descriptors with those of what is imported, and without the comments.
    fn descriptors(mut set: FileDescriptorSet) -> Vec<u8> {
        for file in &mut set.file {
            file.source_code_info = None;
        }
        set.encode_to_vec()
    }
}
