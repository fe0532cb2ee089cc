//! The environment variables that Waypost reads. This table is the only way to read one, and
//! `docs/reference/environment.md` is printed from it.

use std::env;
use std::ffi::OsString;

use waypost::pack::did_you_mean;

/// The beginning of the names of Waypost's own variables.
const OWN: &str = "WAYPOST_";
/// The most variables that nobody reads that are told.
const MOST_STRANGERS: usize = 20;

/// A variable of the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its meaning, for the reference page.
    pub(crate) meaning: &'static str,
}

/// The variables of a model slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SlotVariables {
    pub(crate) url: Variable,
    pub(crate) model: Variable,
    pub(crate) key: Variable,
}

pub(crate) const WAYPOST_HOME: Variable =
    Variable { name: "WAYPOST_HOME", meaning: "The folder for state and `waypost.toml`." };
pub(crate) const MAIN: SlotVariables = SlotVariables {
    url: Variable {
        name: "WAYPOST_MAIN_URL",
        meaning: "The address of the model in the slot `main`. Set it together with \
                  `WAYPOST_MAIN_MODEL`, unless the file has the slot.",
    },
    model: Variable {
        name: "WAYPOST_MAIN_MODEL",
        meaning: "The name by which that server knows the model.",
    },
    key: Variable {
        name: "WAYPOST_MAIN_KEY",
        meaning: "The key, if the server wants one. It takes precedence over `key_env`.",
    },
};
pub(crate) const LIGHT: SlotVariables = SlotVariables {
    url: Variable { name: "WAYPOST_LIGHT_URL", meaning: "The same for the slot `light`." },
    model: Variable { name: "WAYPOST_LIGHT_MODEL", meaning: "The same for the slot `light`." },
    key: Variable { name: "WAYPOST_LIGHT_KEY", meaning: "The same for the slot `light`." },
};
pub(crate) const ENCODER: Variable = Variable {
    name: "WAYPOST_ENCODER",
    meaning: "The sentence encoder, instead of `encoder.name` in the file.",
};
pub(crate) const WAYPOST_KEEP: Variable = Variable {
    name: "WAYPOST_KEEP",
    meaning: "`no` ends the servers of `ask --mcp` with each answer, any other value keeps them ready; without it they are \
              kept on a terminal.",
};
pub(crate) const XDG_DATA_HOME: Variable = Variable {
    name: "XDG_DATA_HOME",
    meaning: "Without `WAYPOST_HOME`, state is in its folder `waypost`.",
};
pub(crate) const LOCALAPPDATA: Variable = Variable {
    name: "LOCALAPPDATA",
    meaning: "Without the two above, state is in its folder `waypost`.",
};
pub(crate) const HOME: Variable = Variable {
    name: "HOME",
    meaning: "Without the three above, state is in its folder `.local/share/waypost`.",
};
pub(crate) const NO_COLOR: Variable =
    Variable { name: "NO_COLOR", meaning: "If it is set, nothing is printed in color." };
pub(crate) const TERM: Variable =
    Variable { name: "TERM", meaning: "If it is `dumb`, `waypost chat` reads plain lines." };
pub(crate) const RUST_LOG: Variable = Variable {
    name: "RUST_LOG",
    meaning: "The log on standard error, such as `debug` or `waypost=info` (a line for each turn); `warn` by default.",
};
pub(crate) const WAYPOST_LOG: Variable = Variable {
    name: "WAYPOST_LOG",
    meaning: "The form of the log: `json`, or else lines for people.",
};
pub(crate) const USER: Variable = Variable {
    name: "USER",
    meaning: "The user's name, which `promote` and `rollback` write down without `--by`.",
};
pub(crate) const USERNAME: Variable =
    Variable { name: "USERNAME", meaning: "The same where `USER` is not set." };
pub(crate) const HOSTNAME: Variable =
    Variable { name: "HOSTNAME", meaning: "The machine's name, written down beside the user's." };
pub(crate) const COMPUTERNAME: Variable =
    Variable { name: "COMPUTERNAME", meaning: "The same where `HOSTNAME` is not set." };

/// Every variable, in the order of the reference page.
pub(crate) const VARIABLES: [Variable; 20] = [
    WAYPOST_HOME,
    MAIN.url,
    MAIN.model,
    MAIN.key,
    LIGHT.url,
    LIGHT.model,
    LIGHT.key,
    ENCODER,
    WAYPOST_KEEP,
    XDG_DATA_HOME,
    LOCALAPPDATA,
    HOME,
    NO_COLOR,
    TERM,
    RUST_LOG,
    WAYPOST_LOG,
    USER,
    USERNAME,
    HOSTNAME,
    COMPUTERNAME,
];

impl Variable {
    /// Returns its value, if it is set, not empty and a text.
    pub(crate) fn text(self) -> Option<String> {
        named(self.name).filter(|value| !value.is_empty())
    }

    /// Returns its value, if it is set and not empty.
    pub(crate) fn value(self) -> Option<OsString> {
        env::var_os(self.name).filter(|value| !value.is_empty())
    }

    /// Returns true if it is set, even to nothing.
    pub(crate) fn is_set(self) -> bool {
        env::var_os(self.name).is_some()
    }
}

/// Returns the value of a variable that the configuration names, such as one that holds a key.
pub(crate) fn named(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Returns the names of Waypost's own variables that are set; their values may be secret.
pub(crate) fn configured() -> Vec<&'static str> {
    let own = VARIABLES.into_iter().filter(|variable| variable.name.starts_with(OWN));
    own.filter(|variable| variable.value().is_some()).map(|variable| variable.name).collect()
}

/// Returns a sentence for each variable that is named as Waypost's own are and that nobody reads; `named`
/// are those that the configuration reads.
pub(crate) fn strangers(named: &[&str]) -> Vec<String> {
    let set = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    strange(set, named)
}

fn strange(set: impl Iterator<Item = String>, named: &[&str]) -> Vec<String> {
    let own =
        || VARIABLES.iter().map(|variable| variable.name).filter(|name| name.starts_with(OWN));
    let is_read = |name: &str| own().any(|known| known == name) || named.contains(&name);
    let mut names: Vec<String> =
        set.filter(|name| name.starts_with(OWN) && !is_read(name)).take(MOST_STRANGERS).collect();
    names.sort();
    let said = |name: &String| {
        format!("nothing reads the variable `{name}`; {}", did_you_mean(name, own()))
    };
    names.iter().map(said).collect()
}

/// Returns what a program that is started from here would see, in order, without what a shell changes with each command.
#[cfg(unix)]
pub(crate) fn passed_on() -> Vec<(OsString, OsString)> {
    const OF_SHELLS: [&str; 5] = ["_", "COLUMNS", "LINES", "OLDPWD", "SHLVL"];
    let mut all: Vec<_> =
        env::vars_os().filter(|(name, _)| !OF_SHELLS.iter().any(|of| name == of)).collect();
    all.sort();
    all
}

/// The user's name, where the system says it.
pub(crate) fn user() -> Option<String> {
    USER.text().or_else(|| USERNAME.text())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn no_other_file_reads_the_environment() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut read = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if fs::read_to_string(&path).unwrap().contains("env::var") {
                    read.push(path.file_name().unwrap().to_owned());
                }
            }
        }
        assert_eq!(read, ["environment.rs"]);
    }

    #[test]
    fn a_variable_that_nobody_reads_is_told_with_the_nearest() {
        let set = ["WAYPOST_MAIN_MODLE", "WAYPOST_HOME", "WAYPOST_GIT_KEY", "PATH"];
        let told = strange(set.into_iter().map(str::to_owned), &["WAYPOST_GIT_KEY"]);
        assert_eq!(
            told,
            ["nothing reads the variable `WAYPOST_MAIN_MODLE`; did you mean `WAYPOST_MAIN_MODEL`?"]
        );
    }

    #[test]
    fn names_are_said_once() {
        let mut names = VARIABLES.map(|variable| variable.name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VARIABLES.len());
    }
}
