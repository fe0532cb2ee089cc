//! A process between us and a tool server, which ends the server with all that it started when we are
//! gone, however that happened: at the end of the program, by Ctrl-C, or by `kill -9`.
//!
//! The keeper is our own program once more. It shares the server's standard input without ever reading
//! it, so it sees that the other end is closed, which the system does for a process that was killed too.
//! Those that a server starts and leaves behind become children of the keeper (it is their "subreaper"),
//! also where they began a session of their own, so none can hide. Should the keeper itself be killed, the
//! server dies with it. On other systems than Linux there is no keeper.

use std::ffi::OsString;
use std::process::ExitStatus;

/// The word that makes a program a keeper; the server's command follows.
pub(super) const KEEP: &str = "keep-tool-server";

/// Runs this process as a keeper or on behalf of one, if its arguments say so, and returns the status that it
/// ends with. To be called first thing in `main`, before there are threads.
pub fn invoked(arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    #[cfg(target_os = "linux")]
    return linux::invoked(arguments);
    #[cfg(not(target_os = "linux"))]
    {
        drop(arguments);
        None
    }
}

/// Returns whether a keeper ended because it could not run the server.
pub(super) fn is_not_started(status: ExitStatus) -> bool {
    matches!(status.code(), Some(126 | 127))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::fs::{self, File};
    use std::io::{self, Write};
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{
        Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process,
        pidfd_open, set_child_subreaper, set_parent_process_death_signal, wait,
    };

    use super::KEEP;

    /// The word that makes a process the server; the keeper's id and the command follow.
    const BECOME: &str = "become-tool-server";
    /// The time that a server has to end by itself, and once more after it was asked to.
    const GRACE: Duration = Duration::from_secs(1);
    /// The longest time for which those that ended are not looked after.
    const REAP: Duration = Duration::from_secs(60);
    /// The wait between two rounds of killing, and the most rounds: ten seconds.
    const ROUND: Duration = Duration::from_millis(1);
    const MOST_ROUNDS: usize = 10_000;
    /// The statuses of shells for a program that cannot be run, and for one that there is not.
    const NOT_RUN: u8 = 126;
    const NOT_FOUND: u8 = 127;

    pub(super) fn invoked(mut arguments: impl Iterator<Item = OsString>) -> Option<u8> {
        let word = arguments.next()?;
        let done = match word.to_str()? {
            KEEP => keep(arguments),
            BECOME => arguments
                .next()
                .map_or(Ok(NOT_RUN), |keeper| Err(become_server(&keeper, arguments))),
            _ => return None,
        };
        Some(done.unwrap_or_else(|error| {
            // Nobody may be left to read it.
            let _ = writeln!(io::stderr(), "{error}");
            if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_RUN }
        }))
    }

    /// Runs the server and waits for its end, or for ours.
    fn keep(command: impl Iterator<Item = OsString>) -> io::Result<u8> {
        set_child_subreaper(Some(getpid()))?;
        let own = getpid().as_raw_nonzero().to_string();
        let mut server = Command::new("/proc/self/exe");
        let server = server.arg(BECOME).arg(own).args(command).spawn()?;
        let Some(server) = i32::try_from(server.id()).ok().and_then(Pid::from_raw) else {
            return Err(io::Error::other("a process without an id"));
        };
        // The other end must see when the server has closed these.
        let nothing = File::options().write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdout(&nothing)?;
        rustix::stdio::dup2_stderr(&nothing)?;
        let mut kept = Kept { server, end: pidfd_open(server, PidfdFlags::empty())?, status: None };
        kept.watch()?;
        end_all(Signal::KILL);
        kept.bury();
        Ok(kept.status.unwrap_or(0))
    }

    /// A server under watch.
    struct Kept {
        server: Pid,
        /// Readable when the server has ended.
        end: OwnedFd,
        status: Option<u8>,
    }

    impl Kept {
        /// Returns when the server has ended, or has had its time after the end of its input.
        fn watch(&mut self) -> io::Result<()> {
            let input = io::stdin();
            loop {
                let mut both = [
                    // Without any event: a hang-up is always told.
                    PollFd::from_borrowed_fd(input.as_fd(), PollFlags::empty()),
                    PollFd::new(&self.end, PollFlags::IN),
                ];
                poll_for(&mut both, REAP)?;
                let is_over = !both[0].revents().is_empty();
                self.reap();
                if self.status.is_some() {
                    return Ok(());
                }
                if is_over {
                    break;
                }
            }
            self.wait_for_end()?;
            if self.status.is_none() {
                end_all(Signal::TERM);
                self.wait_for_end()?;
            }
            Ok(())
        }

        fn wait_for_end(&mut self) -> io::Result<()> {
            poll_for(&mut [PollFd::new(&self.end, PollFlags::IN)], GRACE)?;
            self.reap();
            Ok(())
        }

        /// Takes note of all that have ended; returns whether any is left.
        fn reap(&mut self) -> bool {
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some((pid, status))) if pid == self.server => {
                        self.status = Some(code(status));
                    }
                    Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                    Ok(None) => return true,
                    Err(_) => return false,
                }
            }
        }

        /// Kills until nobody is left: children of those that were killed become ours.
        fn bury(&mut self) {
            for _ in 0..MOST_ROUNDS {
                if !self.reap() {
                    return;
                }
                end_all(Signal::KILL);
                std::thread::sleep(ROUND);
            }
        }
    }

    fn poll_for(fds: &mut [PollFd<'_>], longest: Duration) -> io::Result<()> {
        let longest = Timespec::try_from(longest).map_err(io::Error::other)?;
        match poll(fds, Some(&longest)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The status of a shell for a process that ended.
    fn code(status: WaitStatus) -> u8 {
        let code =
            status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
    }

    /// Sends a signal to all that descend from this process.
    fn end_all(signal: Signal) {
        let processes = processes();
        let mut line = vec![getpid()];
        let mut next = 0;
        while let Some(parent) = line.get(next).copied() {
            next += 1;
            line.extend(processes.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        }
        for pid in line.into_iter().skip(1) {
            // It may have ended meanwhile.
            let _ = kill_process(pid, signal);
        }
    }

    /// All processes, each with its parent.
    fn processes() -> Vec<(Pid, Pid)> {
        let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
        let process = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.ok()?;
            let pid = entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)?;
            let stat = fs::read(entry.path().join("stat")).ok()?;
            // `pid (name) state parent …`; the name may hold anything.
            let behind = stat.iter().rposition(|byte| *byte == b')')?;
            let stat = std::str::from_utf8(&stat[behind + 1..]).ok()?;
            let parent = stat.split_whitespace().nth(1)?.parse().ok().and_then(Pid::from_raw)?;
            Some((pid, parent))
        };
        folder.filter_map(process).collect()
    }

    /// Turns this process into the server, which dies with its keeper; returns only if that cannot be.
    fn become_server(keeper: &OsString, mut command: impl Iterator<Item = OsString>) -> io::Error {
        if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
            return error.into();
        }
        // It may have died before we asked to be told.
        let parent = getppid().map(|parent| parent.as_raw_nonzero().to_string());
        if parent.as_deref() != keeper.to_str() {
            return io::Error::other("the keeper is gone");
        }
        match command.next() {
            Some(program) => Command::new(program).args(command).exec(),
            None => io::Error::other("there is no command"),
        }
    }
}
