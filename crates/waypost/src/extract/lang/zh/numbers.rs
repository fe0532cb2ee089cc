//! Chinese words around numbers; the numerals themselves are read in `numeral`.

use super::super::Group;
use crate::extract::term::Term;

pub(super) const WORDS: &[Group] = &[
    (Term::Scale(1e2), &["百"]),
    (Term::Scale(1e3), &["千"]),
    (Term::Scale(1e4), &["萬", "万"]),
    (Term::Scale(1e6), &["百萬", "百万"]),
    (Term::Scale(1e7), &["千萬", "千万"]),
    (Term::Scale(1e8), &["億", "亿"]),
    (Term::Scale(1e12), &["兆", "萬億", "万亿"]),
    (Term::Percent, &["趴", "個百分點", "个百分点"]),
    (Term::PercentOf, &["百分之"]),
    (Term::OrdinalMark, &["第"]),
    (
        Term::Ordinal(-1),
        &["最後", "最后", "最後一個", "最后一个", "最末", "倒數第一個", "倒数第一个"],
    ),
    (
        Term::Counter,
        &[
            "個", "个", "位", "筆", "笔", "家", "次", "條", "条", "張", "张", "支", "檔", "只",
            "隻", "歲", "岁", "元", "塊", "块", "人", "戶", "户", "頂", "顶", "份", "級", "级",
            "度", "倍", "名", "項", "项", "種", "种", "公里", "公尺", "米", "海里", "海浬", "股",
            "間", "间", "台", "艘", "本", "件", "組", "组", "行", "列", "欄", "栏", "美元", "床",
        ],
    ),
];
