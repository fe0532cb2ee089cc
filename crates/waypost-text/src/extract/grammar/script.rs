//! Traditional characters as simplified ones, so that a table need name a word in one script only
//! and finds it in a mixture of both.
//!
//! Only characters of words in the tables are here, and none that stands for two: 裡 and 里 differ.

/// A traditional character, then the simplified one.
const PAIRS: &str = "\
    慶庆節节國国際际聖圣誕诞萬万靈灵復复東东雙双歡欢陰阴陽阳臘腊歲岁婦妇勞劳動动兒儿軍军黨党紀纪獨独獻献燭烛馬马鄰邻樹树護护 \
    師师農农曆历歷历魚鱼環环壇坛區区蘭兰爾尔齋斋開开後后豐丰穫获燈灯難难穌稣設设禮礼體体懺忏誦诵經经轉转轄辖誡诫毀毁猶犹贖赎 \
    權权費费門门歸归臺台戲戏錢钱關关應应産产產产陸陆龍龙掃扫過过親亲綠绿醫医書书記记員员職职無无線线電电視视處处煙烟絲丝劇剧 \
    單单購购覺觉龐庞勝胜麗丽灑洒紅红衛卫薩萨寶宝闆板圖图時时屆届數数麼么氣气種种與与學学務务灣湾領领蔣蒋華华傳传統统憲宪幣币 \
    廣广術术業业飛飞鐵铁遺遗聯联團团創创見见當当條条錫锡贊赞讚赞榮荣執执終终勵励義义續续舊旧極极總总畢毕達达顯显稱称補补 \
    願愿邁迈邊边選选進进陣阵鬧闹風风養养飯饭頭头顧顾臨临蹟迹訂订計计試试議议買买賣卖贈赠賀贺車车辦办辭辞週周謝谢諾诺話话諸诸 \
    講讲騰腾驅驱魯鲁鳳凤鹽盐麥麦黃黄齊齐羅罗屍尸實实對对導导層层廟庙徑径從从恆恒愛爱戰战損损敗败斷断來来會会歐欧殺杀滿满潔洁 \
    漢汉濟济災灾為为畫画療疗發发盡尽碼码禪禅離离聲声肅肃膚肤舉举藝艺藥药蟲虫衆众裝装倫伦儀仪悅悦個个這这點点鐘钟號号兩两聽听尋寻晝昼幾几間间內内現现約约";

/// The pairs in the order of the traditional characters.
const TABLE: [(char, char); count()] = sorted();

/// The simplified form of a character, or the character itself.
pub(crate) fn simplified(c: char) -> char {
    TABLE.binary_search_by_key(&c, |pair| pair.0).map_or(c, |at| TABLE[at].1)
}

/// Counts the pairs: a character has three bytes, and everything else one.
const fn count() -> usize {
    let (bytes, mut at, mut found) = (PAIRS.as_bytes(), 0, 0);
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            at += 1;
        } else {
            found += 1;
            at += 2 * HAN;
        }
    }
    found
}

/// The bytes of a Chinese character.
const HAN: usize = 3;

const fn sorted() -> [(char, char); count()] {
    let (bytes, mut at, mut length) = (PAIRS.as_bytes(), 0, 0);
    let mut table = [(' ', ' '); count()];
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            at += 1;
            continue;
        }
        let pair = (han(bytes, at), han(bytes, at + HAN));
        let mut place = length;
        while place > 0 && table[place - 1].0 as u32 > pair.0 as u32 {
            table[place] = table[place - 1];
            place -= 1;
        }
        table[place] = pair;
        length += 1;
        at += 2 * HAN;
    }
    table
}

/// The character of three bytes at a place.
const fn han(bytes: &[u8], at: usize) -> char {
    let tail = (((bytes[at + 1] & 0x3f) as u32) << 6) | (bytes[at + 2] & 0x3f) as u32;
    match char::from_u32((((bytes[at] & 0x0f) as u32) << 12) | tail) {
        Some(c) => c,
        None => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scripts_meet() {
        let plain = |text: &str| text.chars().map(simplified).collect::<String>();
        assert_eq!(plain("國慶節"), "国庆节");
        assert_eq!(plain("国慶节a"), "国庆节a");
        assert!(!TABLE.contains(&(' ', ' ')), "every pair has its place");
        assert!(PAIRS.chars().filter(|c| !c.is_whitespace()).count() % 2 == 0);
    }
}
