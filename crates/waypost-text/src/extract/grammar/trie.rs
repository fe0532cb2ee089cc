//! Names by their tokens: everything that begins at a token is found in one walk.
//!
//! For names that come with a request; the phrases of languages lie ready (`phrases`).

use rustc_hash::FxHashMap;

use super::token::Tokens;

/// Phrases with a value each. A phrase may have several values.
#[derive(Debug)]
pub(crate) struct Trie<V> {
    /// The first is the root.
    nodes: Vec<Node<V>>,
}

#[derive(Debug)]
struct Node<V> {
    children: FxHashMap<Box<str>, usize>,
    values: Vec<V>,
}

impl<V: PartialEq> Trie<V> {
    pub(crate) fn new() -> Self {
        Self { nodes: vec![Node::new()] }
    }

    /// Adds a lower-case phrase; one without any token is ignored.
    pub(crate) fn insert(&mut self, phrase: &str, value: V) {
        let tokens = Tokens::new(phrase);
        let mut at = 0;
        for index in 0..tokens.len() {
            at = self.child(at, tokens.folded(index));
        }
        if at != 0 && !self.nodes[at].values.contains(&value) {
            self.nodes[at].values.push(value);
        }
    }

    fn child(&mut self, at: usize, token: &str) -> usize {
        if let Some(&next) = self.nodes[at].children.get(token) {
            return next;
        }
        let next = self.nodes.len();
        self.nodes.push(Node::new());
        self.nodes[at].children.insert(token.into(), next);
        next
    }

    /// Visits every phrase that begins at token `from`, shorter ones first, with the token after
    /// its last.
    pub(crate) fn visit(
        &self,
        tokens: &Tokens<'_>,
        from: usize,
        mut found: impl FnMut(usize, &[V]),
    ) {
        let mut node = &self.nodes[0];
        for at in from..tokens.len() {
            let Some(&next) = node.children.get(tokens.folded(at)) else { return };
            node = &self.nodes[next];
            if !node.values.is_empty() {
                found(at + 1, &node.values);
            }
        }
    }
}

impl<V> Trie<V> {
    /// Visits phrases as `visit` does, and those that would begin there if the last token were
    /// one of its `forms`, which has those of each token.
    pub(crate) fn visit_inflected(
        &self,
        tokens: &Tokens<'_>,
        from: usize,
        forms: &[Vec<String>],
        mut found: impl FnMut(usize, &[V]),
    ) {
        let mut node = &self.nodes[0];
        for (at, forms) in forms.iter().enumerate().take(tokens.len()).skip(from) {
            let token = tokens.folded(at);
            let next = node.children.get(token).map(|&next| &self.nodes[next]);
            for form in forms {
                let named = node.children.get(form.as_str()).map(|&next| &self.nodes[next]);
                if let Some(named) = named.filter(|named| !named.values.is_empty()) {
                    found(at + 1, &named.values);
                }
            }
            let Some(next) = next else { return };
            node = next;
            if !node.values.is_empty() {
                found(at + 1, &node.values);
            }
        }
    }
}

impl<V> Node<V> {
    fn new() -> Self {
        Self { children: FxHashMap::default(), values: Vec::new() }
    }
}
