//! The holder of a lease: a process, named so that others on the same machine can see whether it is still
//! there.

use std::sync::LazyLock;

/// The name of this process, made once: the system, the start of the system, the namespace of
/// processes, the number of the process, and when it began. Together they are never used twice.
pub(super) static SELF: LazyLock<String> = LazyLock::new(|| {
    let process = std::process::id().to_string();
    match (domain(), began(&process)) {
        (Some(domain), Some(began)) => format!("{domain} {process} {began}"),
        _ => format!("? {process} {}", super::now_us()),
    }
});

/// Returns whether the process of this name has ended. Of a process on another machine, or where the
/// system does not tell, nobody knows.
pub(super) fn is_gone(holder: &str) -> bool {
    let mut parts = holder.split(' ');
    let (Some(of), Some(process), Some(since)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let here = domain();
    here.as_deref() == Some(of) && began(process).as_deref() != Some(since)
}

/// The names that processes of this machine see each other under; `None` where the system has none.
fn domain() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{}/{}", boot.trim(), namespace.display()))
}

/// The time at which a process began, in ticks since the machine did; `None` if there is none, or if
/// it has ended and only waits to be noticed.
fn began(process: &str) -> Option<String> {
    if process.is_empty() || !process.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses, which may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let began = fields.nth(18)?;
    (!matches!(state, "Z" | "X")).then(|| began.to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_there_until_it_has_ended() {
        assert!(!is_gone(&SELF));
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = child.id().to_string();
        let name = format!("{} {process} {}", domain().unwrap(), began(&process).unwrap());
        assert!(!is_gone(&name));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(is_gone(&name));
        // Another process has its number now.
        let own = SELF.rsplit_once(' ').unwrap().0;
        assert!(is_gone(&format!("{own} 1")));
        // Nobody knows of processes elsewhere.
        assert!(!is_gone("another/pid:[1] 1 1"));
        assert!(!is_gone("? 1 1"));
        assert!(!is_gone(""));
    }
}
