//! A running script: a listener in a thread of its own, one more for each request.

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

use crate::http::{self, Form, Request};
use crate::script::{Answer, Script, Step};

/// The longest time that a request may take to come in; a test's client is on the same machine.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// A scripted server that runs until it is dropped.
#[derive(Debug)]
pub struct Scripted {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
    /// The connection that keeps the port from others, if nothing is to listen there.
    reserved: Option<TcpStream>,
    checked: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    stopping: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    steps: VecDeque<Step>,
    answers: Option<fn(&Value) -> String>,
    requests: Vec<Request>,
    too_many: usize,
    /// The number of times that it was woken: asked for one token, which no script counts.
    wakes: usize,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scripted {
    pub(crate) fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let mut address = listener.local_addr().expect("an address");
        // The near end of a connection has a port that is taken and that nobody listens on.
        let reserved =
            script.refuses.then(|| TcpStream::connect(address).expect("a connection to ourselves"));
        if let Some(reserved) = &reserved {
            address = reserved.local_addr().expect("an address");
        }
        let state = State { steps: script.steps, answers: script.answers, ..State::default() };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), stopping: AtomicBool::new(false) });
        let listener = (!script.refuses).then(|| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || listen(&listener, &shared))
        });
        Self { address, shared, listener, reserved, checked: false }
    }

    /// The address of its API, such as `http://127.0.0.1:40123/v1`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The bodies of the requests for a reply so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Value> {
        self.shared.state().requests.iter().map(|request| request.body.clone()).collect()
    }

    /// The number of times that it was woken: asked for one token. That is no step of a script.
    pub fn wakes(&self) -> usize {
        self.shared.state().wakes
    }

    /// The keys that those requests showed.
    pub fn keys(&self) -> Vec<Option<String>> {
        self.shared.state().requests.iter().map(|request| request.key.clone()).collect()
    }

    /// Stops the server.
    ///
    /// If a reply is left over, or there was a request too many. Dropping the server checks this
    /// too.
    ///
    /// If a reply is left over, or a request came too many. Dropping the server checks the same.
    pub fn finish(mut self) {
        self.check();
    }

    fn check(&mut self) {
        if std::mem::replace(&mut self.checked, true) {
            return;
        }
        let state = self.shared.state();
        let (left, too_many) = (state.steps.len(), state.too_many);
        drop(state);
        assert!(left == 0, "{left} replies of the script were never asked for");
        assert!(too_many == 0, "{too_many} requests came that the script has no reply for");
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        drop(self.reserved.take());
        if let Some(listener) = self.listener.take() {
            // The listener looks at the flag when a connection wakes it.
            if TcpStream::connect(self.address).is_ok() {
                let _ = listener.join();
            }
        }
        if !thread::panicking() {
            self.check();
        }
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || serve(stream, &shared));
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) {
    let _ = stream.set_read_timeout(Some(READ_TIMEOUT));
    let Ok(request) = http::read_request(&stream) else { return };
    if request.method == "GET" {
        let _ = http::write_models(&mut stream);
        return;
    }
    if request.body["max_tokens"] == 1 {
        shared.state().wakes += 1;
        let _ = http::write_answer(&mut stream, &Answer::Reply("ok".to_owned()), Form::Whole);
        return;
    }
    let form = match request.body["stream"] == true {
        false => Form::Whole,
        true if request.body["stream_options"]["include_usage"] == true => Form::CountedPieces,
        true => Form::Pieces,
    };
    let step = take_step(shared, request);
    thread::sleep(step.delay);
    // In many tests the client has gone.
    let _ = http::write_answer(&mut stream, &step.answer, form);
}

fn take_step(shared: &Shared, request: Request) -> Step {
    let mut state = shared.state();
    let answers = state.answers.map(|answers| answers(&request.body));
    state.requests.push(request);
    state.steps.pop_front().unwrap_or_else(|| {
        let answer = answers
            .map_or_else(|| Answer::Status(500, "no reply is left".to_owned()), Answer::Reply);
        state.too_many += usize::from(state.answers.is_none());
        Step { delay: Duration::ZERO, answer }
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    fn ask(server: &Scripted, body: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let length = body.len();
        write!(stream, "POST /v1/x HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn replies_come_in_order() {
        let server = Script::new().reply("one").reply(serde_json::json!({"two": 2})).start();
        assert!(ask(&server, r#"{"n":1}"#).contains(r#""content":"one""#));
        assert!(ask(&server, r#"{"n":2}"#).contains(r#"{\"two\":2}"#));
        assert_eq!(server.requests(), [serde_json::json!({"n":1}), serde_json::json!({"n":2})]);
        server.finish();
    }

    #[test]
    fn a_reply_that_is_left_over_fails_the_test() {
        let server = Script::new().reply("one").start();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.finish()));
        assert!(outcome.is_err());
    }

    #[test]
    fn a_request_too_many_fails_the_test() {
        let server = Script::new().start();
        assert!(ask(&server, "{}").starts_with("HTTP/1.1 500"));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(server)));
        assert!(outcome.is_err());
    }
}
