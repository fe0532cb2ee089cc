//! The names of conversations: with keys a caller's name for one is kept with the key before it, so that it counts for that key alone.

/// The lengths of the ids of keys, in bytes: of one that is kept, and of the subject of a token.
const KEY_BYTES: [usize; 2] = [8, 20];

/// Returns the name by which a conversation of a key is kept: `@KEY/NAME`.
pub fn of_key(key: &str, name: &str) -> String {
    format!("@{key}/{name}")
}

/// Returns the key of a conversation, if it has one, and the name that its user gave, from the name by which it is kept.
pub fn parts(kept: &str) -> (Option<&str>, &str) {
    let parts = kept.strip_prefix('@').and_then(|rest| rest.split_once('/'));
    match parts.filter(|(key, _)| KEY_BYTES.contains(&key.len())) {
        Some((key, name)) => (Some(key), name),
        None => (None, kept),
    }
}

/// Returns whether a conversation is the one of this name for its user, or is kept by it. A name with a key is one that a
/// conversation is kept by, because a user of another key may call theirs the same.
pub fn is_called(kept: &str, name: &str) -> bool {
    kept == name || (parts(name).0.is_none() && parts(kept).1 == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_found_by_the_name_that_its_user_gave_and_by_the_one_that_it_is_kept_by() {
        let kept = of_key("1a2b3c4d", "a/b");
        assert_eq!(parts(&kept), (Some("1a2b3c4d"), "a/b"));
        assert!(is_called(&kept, "a/b") && is_called(&kept, &kept) && !is_called(&kept, "b"));
        assert!(is_called("@jwt-0123456789abcdef/ana", "ana") && is_called("ana", "ana"));
        for other in ["@team/ana", "x/ana", "@1a2b3c4d/an", "@1a2b3c4d"] {
            assert!(!is_called(other, "ana"), "{other}");
        }
        assert!(!is_called(&of_key("5e6f7a8b", &kept), &kept), "another key calls it so");
    }
}
