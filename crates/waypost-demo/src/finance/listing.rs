//! What the server knows: companies, funds, indices and coins, read from the file beside this one.

use std::str::FromStr;

use super::money;
use crate::pack::{Context, Failure};
use crate::random;

const LISTING: &str = include_str!("listing.csv");

/// The last part of a coin's symbol that names no coin: what it is paid in.
const PAID_IN: [&str; 4] = ["-USDT", "-USD", "USDT", "USD"];

/// The kinds of things that have a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A company's share.
    Stock,
    /// A fund that is traded like a share.
    Fund,
    /// An index, which nobody can buy.
    Index,
    /// A coin.
    Coin,
}

/// One thing that has a price.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listing {
    pub(super) kind: Kind,
    /// Its ticker as Yahoo Finance writes it; a coin's bare symbol.
    pub(super) symbol: &'static str,
    pub(super) name: &'static str,
    pub(super) sector: &'static str,
    pub(super) industry: &'static str,
    pub(super) exchange: &'static str,
    pub(super) country: &'static str,
    /// The price that its series starts from, in its currency.
    pub(super) anchor: f64,
    /// Shares or coins.
    pub(super) shares: f64,
    pub(super) beta: f64,
    /// Percent a year.
    pub(super) dividend_yield: f64,
    /// The word that stands for it wherever something about it is random.
    pub(super) key: u64,
}

/// Everything that the server knows, in the order of the file.
#[derive(Debug)]
pub(super) struct Listings(Vec<Listing>);

impl Listings {
    /// Reads the file, unless the fault `not-found` is on.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` with the fault; otherwise a fault of the file, which is one of this program.
    pub(super) fn read(context: &Context) -> Result<Self, Failure> {
        if context.no_data {
            return Err(not_found("there are no market data"));
        }
        let lines = LISTING.lines().filter(|line| !line.starts_with('#')).skip(1);
        lines.map(listing).collect::<Result<Vec<_>, _>>().map(Self)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Listing> {
        self.0.iter()
    }

    /// The things of one kind.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = &Listing> {
        self.iter().filter(move |listing| listing.kind == kind)
    }

    /// The companies that are traded in the United States, which the market's tools speak of; each
    /// counts once, by its main share.
    pub(super) fn american(&self) -> impl Iterator<Item = &Listing> {
        let is_american = |listing: &&Listing| {
            let exchanges = ["NYSE", "NASDAQ", "AMEX"];
            exchanges.contains(&listing.exchange) && !listing.name.contains(" Class ")
        };
        self.of(Kind::Stock).filter(is_american)
    }

    /// The company or fund with that ticker.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` with what to do instead.
    pub(super) fn stock(&self, symbol: &str) -> Result<&Listing, Failure> {
        let wanted = symbol.trim().trim_start_matches('$').to_uppercase();
        let dashed = wanted.replace('.', "-");
        let traded = || self.iter().filter(|listing| listing.kind != Kind::Coin);
        let found = traded()
            .find(|listing| listing.symbol == wanted)
            .or_else(|| traded().find(|listing| listing.symbol == dashed));
        found.ok_or_else(|| self.no_stock(&wanted))
    }

    /// The coin with that symbol, with or without what it is paid in.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` with what to do instead.
    pub(super) fn coin(&self, symbol: &str) -> Result<&Listing, Failure> {
        let wanted = symbol.trim().trim_start_matches('$').to_uppercase();
        let named = |name: &str| self.of(Kind::Coin).find(|listing| listing.symbol == name);
        let bare = PAID_IN.iter().find_map(|paid| named(wanted.strip_suffix(paid)?));
        named(&wanted).or(bare).ok_or_else(|| self.no_coin(&wanted))
    }

    fn no_stock(&self, wanted: &str) -> Failure {
        if self.coin(wanted).is_ok() {
            return not_found(format!(
                "`{wanted}` is a coin, not a stock; ask `getCryptoPrice` or `getCryptoTechnicals`"
            ));
        }
        if let Some(near) = self.near(wanted) {
            return not_found(format!("no stock `{wanted}` is known here; did you mean `{near}`?"));
        }
        not_found(format!(
            "no stock `{wanted}` is known here; give a ticker as Yahoo Finance writes it, such as \
             `AAPL`, `0700.HK` or `2330.TW`, or look for one with `stockScreener`"
        ))
    }

    fn no_coin(&self, wanted: &str) -> Failure {
        let is_stock = self.iter().any(|one| one.kind != Kind::Coin && one.symbol == wanted);
        if is_stock {
            return not_found(format!("`{wanted}` is a stock, not a coin; ask `getStockPrice`"));
        }
        not_found(format!(
            "no coin `{wanted}` is known here; give its bare symbol, such as `BTC`, `ETH` or `SOL`"
        ))
    }

    /// The ticker that was perhaps meant: the same one of another exchange, or one whose company
    /// has that name.
    fn near(&self, wanted: &str) -> Option<&'static str> {
        let bare = wanted.split('.').next().filter(|bare| !bare.is_empty())?;
        let traded = || self.iter().filter(|one| matches!(one.kind, Kind::Stock | Kind::Fund));
        let elsewhere = traded().find(|one| one.symbol.split('.').next() == Some(bare));
        let named = || {
            let called = |one: &&Listing| one.name.to_uppercase().starts_with(bare);
            traded().find(|one| bare.len() > 2 && called(one))
        };
        elsewhere.or_else(named).map(|one| one.symbol)
    }
}

impl Listing {
    /// The currency of its prices.
    pub(super) fn currency(&self) -> &'static str {
        money::currency(self)
    }

    /// A random word of its own for one purpose.
    pub(super) fn word(&self, purpose: &str) -> u64 {
        random::hash(&[self.key, random::key(purpose)])
    }
}

pub(super) fn not_found(message: impl Into<String>) -> Failure {
    Failure { code: "NOT_FOUND", message: message.into() }
}

fn listing(line: &'static str) -> Result<Listing, Failure> {
    let fields: Vec<&str> = line.split(',').collect();
    let [kind, symbol, name, sector, industry, exchange, country, price, shares, beta, dividend] =
        fields[..]
    else {
        return Err(broken(line));
    };
    let kind = match kind {
        "stock" => Kind::Stock,
        "fund" => Kind::Fund,
        "index" => Kind::Index,
        "coin" => Kind::Coin,
        _ => return Err(broken(line)),
    };
    Ok(Listing {
        kind,
        symbol,
        name,
        sector,
        industry,
        exchange,
        country,
        anchor: parse(price)?,
        shares: parse::<f64>(shares)? * 1e6,
        beta: parse(beta)?,
        dividend_yield: parse(dividend)?,
        key: random::key(symbol),
    })
}

fn parse<T: FromStr>(field: &str) -> Result<T, Failure> {
    field.parse().map_err(|_| broken(field))
}

fn broken(at: &str) -> Failure {
    Failure::internal(format!("the sample data are broken at `{at}`"))
}
