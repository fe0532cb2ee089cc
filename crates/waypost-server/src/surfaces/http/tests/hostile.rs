//! Clients that misbehave, each as the catalogue has it: it gets what it is owed, and others are
//! served beside it.

use std::time::Duration;

use futures_util::future::join_all;
use waypost_testing::clients::{Act, Client as Hostile, HTTP_CLIENTS, Owed, Patience};

use super::client::Client;
use super::parts::{Behavior, LIMITS, Running, start_with};
use super::{Limits, question};

/// The limits of a server that has little patience; more than a busy machine takes to be heard.
const IMPATIENT: Limits =
    Limits { head: Duration::from_secs(1), body: Duration::from_secs(1), ..LIMITS };

#[tokio::test]
async fn every_client_of_the_catalogue_gets_what_it_is_owed_and_others_are_served() {
    let is_waited_for = |hostile: &&Hostile| hostile.patience == Patience::Short;
    let (waited_for, others): (Vec<&Hostile>, _) = HTTP_CLIENTS.iter().partition(is_waited_for);
    join_all(waited_for.into_iter().map(serve)).await;
    // One after the other: some take hundreds of connections.
    for hostile in others {
        serve(hostile).await;
    }
}

/// Starts a server, and has a client do to it what it does.
async fn serve(hostile: &Hostile) {
    let limits = match hostile.patience {
        Patience::Long => LIMITS,
        Patience::Short => IMPATIENT,
    };
    let behavior = if hostile.works { Behavior::Waits } else { Behavior::Talks };
    let server = start_with(limits, behavior).await;
    let mut clients = Vec::new();
    for _ in 0..hostile.connections {
        clients.extend(play(&server, hostile).await);
    }
    others_are_served(&server, hostile).await;
    for client in &mut clients {
        owed(client, hostile).await;
    }
    if hostile.owed == Owed::Cancelled {
        server.model.cancelled.notified().await;
    }
    drop(clients);
    server.stop().await;
}

/// Plays the steps; returns the connection, unless they end with it.
async fn play(server: &Running, hostile: &Hostile) -> Option<Client> {
    let mut client = server.client().await;
    for act in hostile.acts {
        match act {
            Act::Send(text) => client.try_write(text.as_bytes()).await,
            Act::Repeat(text, times) => client.try_write(text.repeat(*times).as_bytes()).await,
            Act::Ask => client.begin("/v1/route", &question("help")).await,
            Act::EndSending => client.end_sending().await,
            Act::AwaitWork => server.model.entered.notified().await,
            Act::LetWork => server.model.go_on.notify_one(),
            Act::Leave => return None,
        }
    }
    Some(client)
}

async fn others_are_served(server: &Running, hostile: &Hostile) {
    let reply = server.client().await.send("GET", "/healthz", &[], b"").await;
    assert_eq!(reply.status, 200, "{}", hostile.name);
    if !hostile.works {
        let reply = server.client().await.post("/v1/route", &question("help")).await;
        assert_eq!(reply.status, 200, "{}", hostile.name);
    }
}

async fn owed(client: &mut Client, hostile: &Hostile) {
    match hostile.owed {
        Owed::Statuses(statuses) => {
            for status in statuses {
                let reply = client.reply().await;
                assert_eq!(reply.status, *status, "{}: {}", hostile.name, reply.text());
            }
        }
        Owed::Closed => client.closed().await,
        Owed::Cancelled | Owed::Nothing => {}
    }
}
