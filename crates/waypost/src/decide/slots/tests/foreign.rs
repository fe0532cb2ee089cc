//! Tools of other people, which nobody has annotated: values from the schema alone.

use serde_json::{Value as Json, json};

use super::{Tried, tool};

fn number() -> Json {
    json!({ "type": "number" })
}

fn text() -> Json {
    json!({ "type": "string" })
}

fn described(kind: &str, description: &str) -> Json {
    json!({ "type": kind, "description": description })
}

#[test]
fn sums_of_money_shares_and_years_are_numbers_of_their_arguments() {
    let loan = tool(
        json!({
            "loan_amount": described("number", "The sum of the loan"),
            "interest_rate": number(),
            "years": { "type": "integer" },
        }),
        &["loan_amount", "interest_rate", "years"],
    );
    let all = json!({ "loan_amount": 12000, "interest_rate": 0.04, "years": 3 });
    for text in [
        "pay off a loan of $12,000 at an interest rate of 4% over 3 years",
        "trả khoản vay $12000 với lãi suất 4% trong 3 năm",
        "un préstamo de $12.000 al 4% durante 3 años",
        "貸款 $12,000，利率 4%，為期 3 年",
    ] {
        loan.gives(text, &all);
    }
    tool(json!({ "fee": described("number", "The fee in percent") }), &["fee"])
        .gives("a fee of 4%", &json!({ "fee": 4 }));
}

#[test]
fn a_letter_behind_a_number_is_the_unit_of_the_argument() {
    tool(json!({ "height": described("number", "The height in meters") }), &["height"])
        .gives("a wall of 2.5m", &json!({ "height": 2.5 }));
    let start = described("number", "The temperature in Kelvin");
    tool(json!({ "temperature": start }), &["temperature"])
        .gives("it begins at 290K", &json!({ "temperature": 290 }));
}

#[test]
fn an_amount_without_a_unit_in_the_schema_needs_words_for_it() {
    let pipe = tool(json!({ "radius": number(), "unit": text() }), &["radius"]);
    pipe.gives("a pipe with a radius of 3 inches", &json!({ "radius": 3, "unit": "inches" }));
    tool(json!({ "weight": number() }), &["weight"]).gives("a pipe of 3 inches", &json!({}));
}

#[test]
fn an_optional_number_needs_words_for_it() {
    tool(json!({ "rounding": { "type": "integer" } }), &[])
        .gives("add up 12 apples", &json!({}))
        .gives("add up apples, rounding 2", &json!({ "rounding": 2 }));
}

#[test]
fn years_are_read_from_stretches_of_years() {
    let year = json!({ "type": "integer" });
    tool(json!({ "from_year": year, "to_year": year }), &["from_year", "to_year"])
        .gives("storms between 1990 and 2004", &json!({ "from_year": 1990, "to_year": 2004 }))
        .gives("storms between 400 and 500", &json!({ "from_year": 400, "to_year": 500 }));
    tool(json!({ "year": year }), &["year"]).gives("storms in 1990", &json!({ "year": 1990 }));
}

#[test]
fn lists_in_brackets_go_to_their_arguments() {
    let list = json!({ "type": "array", "items": { "type": "number" } });
    tool(json!({ "sample1": list, "sample2": list, "digits": number() }), &["sample1", "sample2"])
        .gives(
            "compare [1, 2, 3] with [4, 5, 6]",
            &json!({ "sample1": [1, 2, 3], "sample2": [4, 5, 6] }),
        );
}

#[test]
fn words_that_arguments_share_tell_nothing() {
    let both = json!({ "first_cost": number(), "last_cost": number() });
    tool(both, &["first_cost", "last_cost"])
        .gives("a last cost of $9 and a first of $4", &json!({ "first_cost": 4, "last_cost": 9 }));
}

#[test]
fn a_name_goes_where_its_own_words_or_its_place_say() {
    let visit = tool(json!({ "museum": text(), "city": text() }), &["museum", "city"]);
    for (text, museum) in [
        ("opening hours of the Prado Museum in Madrid", "Prado Museum"),
        ("horario del Museo Museum Prado en Madrid", "Museo Museum Prado"),
        ("giờ mở cửa của Prado Museum ở Madrid", "Prado Museum"),
    ] {
        visit.gives(text, &json!({ "museum": museum, "city": "Madrid" }));
    }
    let clock = tool(json!({ "city": text(), "country": text() }), &["city", "country"]);
    clock.gives("the hour in Lyon, France", &json!({ "city": "Lyon", "country": "France" }));
}

#[test]
fn two_names_that_an_and_joins_go_to_a_pair() {
    let two = tool(json!({ "team1": text(), "team2": text() }), &["team1", "team2"]);
    two.gives("scores of Ajax and Porto", &json!({ "team1": "Ajax", "team2": "Porto" }));
    let way = json!({ "start_city": text(), "end_city": text() });
    let way = tool(way, &["start_city", "end_city"]);
    way.gives(
        "how far is it between Lyon and Porto",
        &json!({ "start_city": "Lyon", "end_city": "Porto" }),
    );
}

#[test]
fn a_title_and_a_word_within_belong_to_a_name() {
    let person = tool(json!({ "person": text() }), &["person"]);
    person.gives("what did Dr. Ada Byron write", &json!({ "person": "Dr. Ada Byron" }));
    let event = tool(json!({ "event": text() }), &["event"]);
    event.gives("when was the Peace of Utrecht", &json!({ "event": "Peace of Utrecht" }));
    // What opens a sentence has a capital anyway.
    person.gives("Tell me more. Show it.", &json!({}));
}

#[test]
fn a_number_or_a_stretch_of_years_may_belong_to_a_name() {
    let game = tool(json!({ "platform": text(), "score": number() }), &["platform"]);
    game.gives("games for Amiga 500", &json!({ "platform": "Amiga 500" }));
    let table = tool(json!({ "season": text() }), &["season"]);
    table
        .gives("the table of the 1998-1999 season", &json!({ "season": "1998-1999" }))
        .gives("the table of 1998-1999", &json!({}));
}

#[test]
fn an_identifier_stands_beside_its_word() {
    let user = tool(json!({ "user_id": text() }), &["user_id"]);
    user.gives("orders of the user with id 5521", &json!({ "user_id": "5521" }))
        .gives("orders of \"Ada Byron\"", &json!({}));
}

#[test]
fn a_name_is_written_as_the_description_writes_it() {
    let place = described("string", "The city and state, such as 'Portland, OR'");
    let weather = tool(json!({ "location": place }), &["location"]);
    weather
        .gives("weather in Portland", &json!({ "location": "Portland, OR" }))
        .gives("weather in Salem, MA", &json!({ "location": "Salem, MA" }))
        .asks("weather in Salem", "location", &json!(["Salem"]));
    let code = described("string", "The country as an ISO 3166 code");
    tool(json!({ "country": code }), &["country"]).asks(
        "news from Peru",
        "country",
        &json!(["Peru"]),
    );
}

#[test]
fn an_example_of_the_description_that_was_said_is_a_value() {
    let taste = described("string", "The taste, such as 'bitter', 'sweet' or 'sour'");
    let beer = tool(json!({ "taste": taste }), &["taste"]);
    beer.gives("something sweet to drink", &json!({ "taste": "sweet" })).asks(
        "sweet or bitter",
        "taste",
        &json!(["bitter", "sweet"]),
    );
}

#[test]
fn an_article_is_no_value_of_one_letter() {
    let grade = json!({ "type": "string", "enum": ["A", "B"] });
    tool(json!({ "grade": grade }), &["grade"])
        .gives("give it a mark", &json!({}))
        .gives("give it an A", &json!({ "grade": "A" }));
}

/// Checks the argument that is asked about.
#[track_caller]
fn asks_about(tried: &Tried, text: &str, argument: Option<&str>) {
    let filled = tried.fill(text);
    let asked = filled.gaps.first().map(|gap| gap.argument.as_str());
    assert_eq!(asked, argument, "{text} {:?}", filled.calls);
}

#[test]
fn what_is_said_and_fills_nothing_is_asked_about() {
    let films = tool(
        json!({
            "city": text(),
            "directed_by": text(),
            "price": number(),
            "seat": { "type": "string", "enum": ["balcony seat", "box seat"] },
        }),
        &["city"],
    );
    asks_about(&films, "films in Lyon", None);
    asks_about(&films, "films in Lyon with Ada Byron", Some("directed_by"));
    asks_about(&films, "films in Lyon, gate 12", Some("price"));
    asks_about(&films, "films in Lyon on the balcony", Some("seat"));
}

#[test]
fn a_flag_is_set_by_all_its_words() {
    let flag = json!({ "type": "boolean" });
    tool(json!({ "tax_exempt": flag }), &[])
        .gives("what is the tax here", &json!({}))
        .gives("it is tax exempt", &json!({ "tax_exempt": true }));
}
