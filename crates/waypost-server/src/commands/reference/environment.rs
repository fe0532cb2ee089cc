//! The page of environment variables.

use waypost_backends::mcp::PASSED_ON;

use super::{ORIGIN, cell};
use crate::environment::VARIABLES;

pub(super) fn page() -> String {
    let mut page = format!(
        "# Environment\n\n{ORIGIN}\n\nThe environment overrides [the configuration](configuration.md). \
         An empty variable counts as one that is not set, except `NO_COLOR`. A key may also be in a \
         variable that the configuration names with `key_env`.\n\n| variable | meaning |\n|---|---|\n"
    );
    for variable in VARIABLES {
        page.push_str(&format!("| `{}` | {} |\n", variable.name, cell(variable.meaning)));
    }
    page.push_str(
        "\n## Tool servers\n\nA tool server is started with these variables, as far as they are set, \
         and no others, \
         unless `env` of the server or `--env NAME` names them. It gets no key of a model; the address of a proxy may hold a password.\n\n",
    );
    PASSED_ON.iter().for_each(|name| page.push_str(&format!("- `{name}`\n")));
    page
}
