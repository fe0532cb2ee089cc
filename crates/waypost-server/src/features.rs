//! The cargo features of this program: what each adds, and the error if something needs one that was left out.
//!
//! A feature is compiled in or out at the `mod` line of what it adds. If it is left out, a small file `without.rs` takes the place of
//! that module, so that the rest of the program is the same in every build.

use std::sync::LazyLock;

use waypost::{Code, Error, Result};

/// The feature that turns on all others.
const ALL: &str = "full";

/// A part of the program that can be left out when it is built.
#[derive(Debug)]
pub(crate) struct Feature {
    /// Its name in `Cargo.toml`.
    pub(crate) name: &'static str,
    /// The things that it adds, for the reference.
    pub(crate) adds: &'static str,
    /// The thing that needs it, as the subject of an error.
    needed_by: &'static str,
    is_built: bool,
}

pub(crate) const GRPC: Feature = Feature {
    name: "grpc",
    adds: "gRPC on the port of `waypost serve`",
    needed_by: "gRPC",
    is_built: cfg!(feature = "grpc"),
};
pub(crate) const OTLP: Feature = Feature {
    name: "otlp",
    adds: "traces and metrics for a collector of OpenTelemetry (`[telemetry]`)",
    needed_by: "`[telemetry]`",
    is_built: cfg!(feature = "otlp"),
};
pub(crate) const PARQUET: Feature = Feature {
    name: "parquet",
    adds: "`waypost events export --format parquet`",
    needed_by: "`--format parquet`",
    is_built: cfg!(feature = "parquet"),
};
pub(crate) const PNG: Feature = Feature {
    name: "png",
    adds: "pictures of SVG as PNG for clients of MCP; without it they stay SVG",
    needed_by: "a picture as PNG",
    is_built: cfg!(feature = "png"),
};
pub(crate) const JWT: Feature = Feature {
    name: "jwt",
    adds: "JSON web tokens of another service (`[jwt]`)",
    needed_by: "`[jwt]`",
    is_built: cfg!(feature = "jwt"),
};
pub(crate) const ELASTICSEARCH: Feature = Feature {
    name: "elasticsearch",
    adds: "a search server, Elasticsearch or OpenSearch (`[retrieval]`)",
    needed_by: "`[retrieval]`",
    is_built: cfg!(feature = "elasticsearch"),
};
pub(crate) const ENCODER: Feature = Feature {
    name: "encoder",
    adds: "sentence encoders (`[encoder]`, `waypost encoder`)",
    needed_by: "a sentence encoder",
    is_built: cfg!(feature = "encoder"),
};

/// Every feature, in the order of `Cargo.toml`.
pub(crate) const FEATURES: [&Feature; 7] =
    [&GRPC, &OTLP, &PARQUET, &PNG, &JWT, &ELASTICSEARCH, &ENCODER];

impl Feature {
    /// Returns an error that names the command to build it, if this program was built without it.
    ///
    /// # Errors
    ///
    /// `FAILED_PRECONDITION`.
    pub(crate) fn require(&self) -> Result<()> {
        if self.is_built { Ok(()) } else { Err(self.missing()) }
    }

    /// The error if it is not there.
    pub(crate) fn missing(&self) -> Error {
        let Self { name, needed_by, .. } = self;
        let message =
            format!("{needed_by} needs the feature `{name}`, which this program was built without");
        let hint = format!("build it with `cargo build --release --features {name}` (or `{ALL}`)");
        Error::new(Code::FailedPrecondition, message).with_hint(hint)
    }
}

/// The version of this program, with the features that it has and those that it was built without.
pub(crate) static VERSION: LazyLock<String> = LazyLock::new(|| {
    let names = |is_built: bool| {
        let some = FEATURES.iter().filter(|feature| feature.is_built == is_built);
        some.map(|feature| feature.name).collect::<Vec<_>>().join(", ")
    };
    let (built, left_out) = (names(true), names(false));
    let built = if built.is_empty() { "none" } else { &built };
    let mut text = format!("{}\nfeatures: {built}", env!("CARGO_PKG_VERSION"));
    if !left_out.is_empty() {
        text.push_str(&format!("\nbuilt without: {left_out} (`--features {ALL}` adds all)"));
    }
    text
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_that_of_the_manifest() {
        let manifest: toml::Table = include_str!("../Cargo.toml").parse().unwrap();
        let names: Vec<&str> = FEATURES.iter().map(|feature| feature.name).collect();
        let features = manifest["features"].as_table().unwrap();
        let mut sorted = [&names[..], &["default", ALL]].concat();
        sorted.sort_unstable();
        let mut known: Vec<&str> = features.keys().map(String::as_str).collect();
        known.sort_unstable();
        assert_eq!(sorted, known);
        let all = features[ALL].as_array().unwrap();
        assert_eq!(all.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>(), names);
        assert_eq!(features["default"].as_array().map(Vec::len), Some(0));
    }

    #[test]
    fn a_missing_feature_is_an_error_that_names_the_command() {
        let error = OTLP.missing();
        assert_eq!(error.code(), Code::FailedPrecondition);
        assert_eq!(
            (error.message(), error.hint()),
            (
                "`[telemetry]` needs the feature `otlp`, which this program was built without",
                Some("build it with `cargo build --release --features otlp` (or `full`)")
            )
        );
        for feature in FEATURES {
            assert_eq!(feature.require().is_ok(), feature.is_built, "{}", feature.name);
        }
    }
}
