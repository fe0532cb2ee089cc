//! Throwaway.
use waypost::learning::distill::*;
fn main() {
    let pieces: Vec<String> = std::fs::read_to_string("/tmp/minilm/x/vocab.txt")
        .unwrap()
        .split('\n')
        .map(str::to_owned)
        .collect();
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let vectors =
        bytes.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let v = Vocabulary {
        source: "all-MiniLM-L6-v2".to_owned(),
        cut: waypost::learning::Cut::Longest,
        pieces,
        scores: vec![],
        vectors,
    };
    let start = std::time::Instant::now();
    let table = distill(&v, Size::BUILT_IN).unwrap();
    let bytes = table.to_bytes();
    println!("{} pieces {} bytes {:?}", table.head().pieces, bytes.len(), start.elapsed());
    std::fs::write("crates/waypost/src/learning/table.bin", bytes).unwrap();
}
