//! Two processes on one file.

use super::*;

#[tokio::test]
async fn the_events_of_two_processes_come_in_the_order_in_which_they_were_made() {
    let (_folder, path) = file();
    let stores = [
        SqliteStore::open(Some(&path)).await.unwrap(),
        SqliteStore::open(Some(&path)).await.unwrap(),
    ];
    let all: Vec<Record> = (0..20).map(|n| record((n % 3 > 0).then_some("s"), n)).collect();
    for (n, event) in all.iter().enumerate() {
        stores[n % 2].append(vec![event.clone()]);
        // The next one is made at a later instant.
        let made = now_us();
        while now_us() == made {}
    }
    // What the first process wrote comes before all that the second wrote.
    stores[0].flush().await.unwrap();
    stores[1].flush().await.unwrap();
    let filter = Filter { session: Some("s".to_owned()), ..Filter::default() };
    let of_session: Vec<Record> =
        all.iter().filter(|record| record.session_id.is_some()).cloned().collect();
    assert_eq!(stores[0].events(&filter, 99).await.unwrap(), of_session);
    assert_eq!(stores[1].events(&Filter::default(), 3).await.unwrap(), all[17..]);
    for (filter, wanted) in [(Filter::default(), all), (filter, of_session)] {
        let (mut read, mut from) = (Vec::new(), Some(0));
        while let Some(at) = from {
            let page = stores[1].page(&filter, at, 7).await.unwrap();
            (read, from) = ([read, page.records].concat(), page.next);
        }
        assert_eq!(read, wanted);
    }
}

#[tokio::test]
async fn a_decision_that_another_process_is_about_to_write_is_waited_for() {
    let (_folder, path) = file();
    let (one, two) = (
        SqliteStore::open(Some(&path)).await.unwrap(),
        SqliteStore::open(Some(&path)).await.unwrap(),
    );
    for n in 0..20 {
        one.append(vec![record(None, n)]);
        let filter = Filter { decision: Some(format!("d{n}")), ..Filter::default() };
        let found = two.events(&filter, 1).await.unwrap();
        assert_eq!(found.len(), 1, "d{n}");
    }
}
