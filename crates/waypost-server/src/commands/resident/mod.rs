//! The process that keeps the tool servers of `ask --mcp` ready for the next question.
//!
//! The first question starts it. Each question hands it its arguments and its own standard output and error, and the process
//! runs the command as the program itself would, except that the servers run already. Everything else (configuration, lists of
//! tools, students, conversations) is read anew, so the answer is the one that the program itself would give.
//!
//! If anything is odd before a question is handed over, the program answers it itself and says nothing. Afterwards it must not,
//! because the process may have called a tool already.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, IoSlice, IoSliceMut, IsTerminal, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use waypost::hash::Fnv;
use waypost::respond::execution::Servers;
use waypost::{Code, Error};

use super::ask;
use crate::cli::{AskArgs, KeepReadyArgs};
use crate::failure::Failure;
use crate::{config, environment, files, mcp_servers, output, stderr};

/// The folder of the home with a socket for each such process.
const FOLDER: &str = "ready";
/// The time without a question after which the process ends.
const IDLE: Duration = Duration::from_secs(10 * 60);
/// The time between two looks whether the process is still wanted.
const LOOK: Duration = Duration::from_secs(1);
/// The longest wait for the other side where it has nothing to do but to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for a process that is just starting, on a busy machine too.
const START: Duration = Duration::from_secs(10);
/// The longest arguments with their question, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// The endings of programs that an interpreter runs.
const SCRIPTS: [&str; 9] = ["cjs", "jar", "js", "mjs", "php", "py", "rb", "sh", "ts"];
/// The exit status of a shell for a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;
const KEPT: &str = "the servers stay ready for 10 minutes; `waypost ask --stop` ends them, `--keep no` does without";

/// Has the process answer that keeps these servers ready, which is started if there is none. Returns the exit status; `None` if
/// the program is to answer itself.
///
/// # Errors
///
/// `UNAVAILABLE` if the process ended while it answered.
pub(super) async fn ask(args: &AskArgs, config: Option<&Path>) -> Result<Option<u8>, Failure> {
    let keep = args.keep.clone().or_else(|| environment::WAYPOST_KEEP.text());
    let is_wanted = keep.map_or_else(|| io::stderr().is_terminal(), |keep| keep != "no");
    // The log of servers that run already goes nowhere, and `--debug` shows it.
    if !is_wanted || args.debug || args.request.source.mcp.is_empty() {
        return Ok(None);
    }
    let Ok(stream) = reach(args).and_then(|stream| hand_over(stream, args, config)) else {
        return Ok(None);
    };
    let (mut read, mut write) = stream.into_split();
    let status = tokio::select! {
        status = read.read_u8() => status,
        _ = tokio::signal::ctrl_c() => {
            // The end of the input stops the turn, which still says so.
            let _ = write.shutdown().await;
            timeout(2 * PATIENCE, read.read_u8()).await.unwrap_or(Ok(INTERRUPTED))
        }
    };
    status.map(Some).map_err(|_| {
        let error = Error::unavailable("the process that keeps the servers ready has ended");
        error.with_hint("ask again, or with `--keep no`").into()
    })
}

/// Ends all such processes of this home: each sees within a second that its socket is gone, and first answers what it was asked.
pub(super) fn stop() -> Result<u8, Failure> {
    let folder = config::home().map_err(Failure::usage)?.join(FOLDER);
    let mut ended = 0;
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let socket = entry?.path();
        ended += usize::from(UnixStream::connect(&socket).is_ok());
        match fs::remove_file(&socket) {
            // The process ended meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
    }
    output::note(match ended {
        0 => "no servers are kept ready",
        _ => "the servers that were kept ready end, after the answer that they may be at",
    });
    Ok(0)
}

/// Connects to the process that keeps these servers ready and waits for its greeting.
fn reach(args: &AskArgs) -> io::Result<UnixStream> {
    let socket = folder()?.join(format!("{}.sock", key(args)?));
    if let Ok(stream) = UnixStream::connect(&socket) {
        return greeted(stream, PATIENCE);
    }
    // Nobody listens there: the process was killed, or there never was one.
    start(&socket)?;
    greeted(UnixStream::connect(&socket)?, START)
}

/// The folder of the sockets, which must be the user's own and closed to everybody else: who connects is obeyed.
fn folder() -> io::Result<PathBuf> {
    let folder = config::home().map_err(io::Error::other)?.join(FOLDER);
    files::make_home(&folder)?;
    let found = fs::symlink_metadata(&folder)?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    match is_own && found.is_dir() && found.mode() & 0o077 == 0 {
        true => Ok(folder),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// A name for all that decides how the servers would be started: this program, the folder, the environment, the commands, and
/// the programs and scripts that they name, so that a server that was edited starts anew.
fn key(args: &AskArgs) -> io::Result<String> {
    let source = &args.request.source;
    let specs = mcp_servers::specs(&source.mcp, &source.env).map_err(io::Error::other)?;
    let (folder, environment) = (std::env::current_dir()?, environment::passed_on());
    let path = environment.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, path)| path.clone()).unwrap_or_default();
    let program = |word: PathBuf| {
        let found = fs::metadata(&word).ok().filter(Metadata::is_file)?;
        let ending = word.extension().unwrap_or_default();
        let is_program = found.mode() & 0o111 != 0 || SCRIPTS.iter().any(|kind| ending == *kind);
        is_program.then(|| stamp(&found))
    };
    let words = specs.iter().flat_map(|spec| &spec.command).map(PathBuf::from);
    let first = specs.iter().filter_map(|spec| spec.command.first());
    let found = first.flat_map(|name| std::env::split_paths(&path).map(move |at| at.join(name)));
    let programs: Vec<_> = words.chain(found).filter_map(program).collect();
    let own = fs::metadata(std::env::current_exe()?)?;
    let all = (stamp(&own), folder, environment, &args.request.source, programs);
    let mut hash = Fnv::default();
    hash.write(format!("{all:?}").as_bytes());
    Ok(hash.hex())
}

/// What tells a file from one that took its place.
fn stamp(found: &Metadata) -> (u64, u64, Option<SystemTime>) {
    (found.ino(), found.len(), found.modified().ok())
}

/// Starts the process. It gets the socket as its standard input, so that clients may connect at once, and no other descriptor of
/// this program: who reads these to their end, or waits for a lock that they hold, must not wait for it.
fn start(socket: &Path) -> io::Result<()> {
    // Under another name until it listens, because nobody may find it before.
    let part = socket.with_extension(std::process::id().to_string());
    let listener = UnixListener::bind(&part)?;
    fs::set_permissions(&part, fs::Permissions::from_mode(0o600))?;
    fs::rename(&part, socket)?;
    close_fds::set_fds_cloexec(3, &[]);
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("keep-ready").arg(socket).stdin(OwnedFd::from(listener));
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}

fn greeted(stream: UnixStream, patience: Duration) -> io::Result<UnixStream> {
    stream.set_read_timeout(Some(patience))?;
    (&stream).read_exact(&mut [0])?;
    Ok(stream)
}

/// Sends the question, with the streams on which it is to be answered. It is handed over with the last byte.
fn hand_over(
    stream: UnixStream,
    args: &AskArgs,
    config: Option<&Path>,
) -> io::Result<tokio::net::UnixStream> {
    let line = serde_json::to_string(&(config, args))? + "\n";
    if line.len() as u64 > LONGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    stream.set_write_timeout(Some(PATIENCE))?;
    let (out, err) = (io::stdout(), io::stderr());
    let streams = [out.as_fd(), err.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    rights.push(SendAncillaryMessage::ScmRights(&streams));
    sendmsg(&stream, &[IoSlice::new(&[0])], &mut rights, SendFlags::empty())?;
    (&stream).write_all(line.as_bytes())?;
    stream.set_nonblocking(true)?;
    tokio::net::UnixStream::from_std(stream)
}

/// Answers questions until none comes for a while, the socket is gone, or the program is another one.
pub(super) async fn run(args: &KeepReadyArgs) -> Result<u8, Failure> {
    // Without a terminal, whose end and whose Ctrl-C are not for this process.
    let _ = rustix::process::setsid();
    let listener = UnixListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    listener.set_nonblocking(true)?;
    let listener = tokio::net::UnixListener::from_std(listener)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?).map_err(io::Error::from)?;
    let look = || {
        let program = std::env::current_exe().and_then(fs::metadata).map(|found| stamp(&found));
        let socket = fs::symlink_metadata(&args.socket).map(|found| stamp(&found));
        (socket.ok(), program.ok())
    };
    let own = look();
    let mut servers = Servers::new();
    let mut latest = Instant::now();
    while own.0.is_some() && look() == own && latest.elapsed() < IDLE {
        let Ok(accepted) = timeout(LOOK, listener.accept()).await else { continue };
        // A client that left again is answered by its own program.
        let _ = answer(accepted?.0, &mut servers).await;
        // Without servers there is nothing to keep ready, and the next start may find them.
        if servers.is_empty() || silence().is_err() {
            break;
        }
        latest = Instant::now();
    }
    if look().0 == own.0 {
        let _ = fs::remove_file(&args.socket);
    }
    Ok(0)
}

/// Answers one question on the streams that come with it, and sends its exit status.
async fn answer(stream: tokio::net::UnixStream, servers: &mut Servers) -> io::Result<()> {
    let stream = stream.into_std()?;
    // Nothing else runs here meanwhile but the servers' own connections, on other threads.
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    (&stream).write_all(&[0])?;
    let [out, err] = streams(&stream)?;
    let mut line = String::new();
    BufReader::new(&stream).take(LONGEST).read_line(&mut line)?;
    let (config, args): (Option<PathBuf>, AskArgs) = match line.ends_with('\n') {
        true => serde_json::from_str(&line)?,
        false => return Err(io::ErrorKind::UnexpectedEof.into()),
    };
    rustix::stdio::dup2_stdout(out)?;
    rustix::stdio::dup2_stderr(err)?;
    stream.set_nonblocking(true)?;
    let (mut read, mut write) = tokio::net::UnixStream::from_std(stream)?.into_split();
    let is_first = servers.is_empty();
    let cancel = CancellationToken::new();
    let work = async {
        let config = super::configured(config.as_deref(), true)?;
        ask::turn(&args, &config, Some(&mut *servers), || cancel.clone()).await
    };
    let left = async {
        let _ = read.read_u8().await;
        cancel.cancel();
        sleep(PATIENCE).await;
    };
    let result = tokio::select! {
        result = work => result,
        // The start of a server cannot be cancelled, only left.
        () = left => {
            let error = Error::new(Code::Cancelled, "the question was stopped");
            Err(Failure::with_status(error, INTERRUPTED))
        }
    };
    if cancel.is_cancelled() {
        // They may still be at what was stopped, and keep the next question waiting.
        servers.clear();
    }
    let status = result.unwrap_or_else(|failure| failure.told());
    if is_first && !servers.is_empty() {
        output::note(KEPT);
    }
    stderr::settle();
    // Before the status: the client may end with it, and its streams must end with the client.
    silence()?;
    write.write_u8(status).await
}

/// The streams of a client: standard output and standard error.
fn streams(from: &UnixStream) -> io::Result<[OwnedFd; 2]> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    recvmsg(from, &mut [IoSliceMut::new(&mut [0])], &mut rights, RecvFlags::empty())?;
    let rights = rights.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(streams) => Some(streams),
        _ => None,
    });
    let streams: Vec<OwnedFd> = rights.flatten().collect();
    streams.try_into().map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Lets go of the streams of the client. What it did not take is for nobody else.
fn silence() -> io::Result<()> {
    let nothing = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    io::stdout().flush()
}
