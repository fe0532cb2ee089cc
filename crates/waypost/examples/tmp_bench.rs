//! Throwaway.
use std::collections::HashMap;
use waypost::learning::evaluate::*;
use waypost::learning::*;
#[derive(Debug)]
struct Npy(HashMap<String, Vec<f32>>);
fn texts(path: &str) -> Vec<(String, String)> {
    std::fs::read_to_string(path)
        .unwrap_or_default()
        .lines()
        .map(|l| {
            let v: serde_json::Value = serde_json::from_str(l).unwrap();
            (
                waypost::text::Text::new(v["text"].as_str().unwrap()).normalized().to_owned(),
                v["label"].as_str().unwrap_or("oos").to_owned(),
            )
        })
        .collect()
}
fn npy(path: &str) -> Vec<Vec<f32>> {
    let b = std::fs::read(path).unwrap();
    let h = 10 + u16::from_le_bytes([b[8], b[9]]) as usize;
    let f: Vec<f32> =
        b[h..].chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    f.chunks_exact(384).map(<[f32]>::to_vec).collect()
}
#[async_trait::async_trait]
impl waypost::encoder::Encoder for Npy {
    fn id(&self) -> &str {
        "npy"
    }
    fn dimensions(&self) -> usize {
        384
    }
    async fn encode(&self, text: &str) -> waypost::Result<Vec<f32>> {
        Ok(self.0[text].clone())
    }
    fn encode_all(&self, t: &[&str]) -> waypost::Result<Vec<Vec<f32>>> {
        Ok(t.iter().map(|t| self.0.get(*t).unwrap_or_else(|| panic!("{t}")).clone()).collect())
    }
}
fn few(rows: &[(String, String)], seed: u64) -> Vec<(String, String)> {
    let mut s = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut ix: Vec<usize> = (0..rows.len()).collect();
    for e in (1..ix.len()).rev() {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        ix.swap(e, (s % (e as u64 + 1)) as usize);
    }
    let mut c: HashMap<&str, usize> = HashMap::new();
    let mut out = vec![];
    for i in ix {
        let n = c.entry(&rows[i].1).or_default();
        if *n < 10 {
            *n += 1;
            out.push(rows[i].clone());
        }
    }
    out
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let split = &args[1];
    let sets: Vec<&str> = args[2].split(',').collect();
    let modes = &args[3];
    let full = args.get(4).is_some_and(|a| a == "full");
    for set in sets {
        let d = format!("/work/shared/data/{set}");
        let train_rows = texts(&format!("{d}/train.jsonl"));
        let test = texts(&format!("{d}/{split}.jsonl"));
        let oos = if set == "clinc150" { texts(&format!("{d}/oos_{split}.jsonl")) } else { vec![] };
        for mode in modes.split(',') {
            let enc = (mode == "mini").then(|| {
                let mut m = HashMap::new();
                for s in ["train".to_owned(), split.clone(), format!("oos_{split}")] {
                    let f = format!("/tmp/minilm/x/{set}_{s}.npy");
                    if std::path::Path::new(&f).exists() {
                        for (t, v) in texts(&format!("{d}/{s}.jsonl")).into_iter().zip(npy(&f)) {
                            m.insert(t.0, v);
                        }
                    }
                }
                for (t, v) in std::fs::read_to_string("/tmp/minilm/x/names.txt")
                    .unwrap()
                    .lines()
                    .zip(npy("/tmp/minilm/x/names.npy"))
                {
                    m.insert(t.to_owned(), v);
                }
                Npy(m)
            });
            let mut o = Options::default();
            if mode == "ngram" {
                o.table = None;
            }
            if let Ok(v) = std::env::var("EPOCHS") {
                o.epochs = v.parse().unwrap();
            }
            if let Ok(v) = std::env::var("C") {
                o.c = v.parse().unwrap();
            }
            if let Ok(v) = std::env::var("NAMEW") {
                o.name_weight = v.parse().unwrap();
            }
            let mut sums = [0.0; 5];
            let seeds = if full { 1 } else { 3 };
            let mut last = String::new();
            for seed in 0..seeds {
                let rows = if full { train_rows.clone() } else { few(&train_rows, seed) };
                let ex: Vec<Labelled> = rows
                    .into_iter()
                    .map(|(text, route)| Labelled {
                        text,
                        language: Some("en".into()),
                        route,
                        tools: vec![],
                        weight: 1.0,
                    })
                    .collect();
                let t = std::time::Instant::now();
                let b = train(&ex, &o, enc.as_ref().map(|e| e as _), &mut |_| {}).unwrap();
                let el = t.elapsed().as_secs_f64();
                let mut s = Scratch::default();
                let rows: Vec<Row> = test
                    .iter()
                    .map(|t| (t, true))
                    .chain(oos.iter().map(|t| (t, false)))
                    .map(|((t, l), inside)| {
                        let v = enc.as_ref().map(|e| e.0[t].clone());
                        let sc = b.score(
                            Input { text: t, language: Some("en"), vector: v.as_deref() },
                            &mut s,
                        );
                        let (p, c) = sc.best().unwrap();
                        Row {
                            label: inside.then(|| l.clone()),
                            predicted: b.routes()[p].clone(),
                            confidence: c,
                            in_scope: sc.in_scope,
                        }
                    })
                    .collect();
                let r = evaluate(&rows);
                for (s, v) in sums.iter_mut().zip([
                    r.accuracy,
                    r.ece,
                    r.coverage_at_99,
                    r.auroc_oos.unwrap_or(0.0),
                    el / 100.0,
                ]) {
                    *s += 100.0 * v / seeds as f64;
                }
                last = format!(
                    "cv {:.2} enc {:?} len {:?}",
                    100.0 * b.metrics().accuracy,
                    b.encoder().map(|e| e.share.other),
                    b.features().table_length()
                );
            }
            println!(
                "{set} {split} {mode} acc {:.2} ece {:.2} cov99 {:.2} auroc {:.2} secs {:.2} {last}",
                sums[0], sums[1], sums[2], sums[3], sums[4]
            );
        }
    }
}
