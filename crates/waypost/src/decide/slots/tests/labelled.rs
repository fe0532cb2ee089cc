//! Values that people name as they come: a namespace, a pod, a folder, a task by its number, what is put in place of what.

use serde_json::json;

use super::tool;

#[test]
fn a_word_beside_the_word_for_the_argument_is_its_value() {
    let text = json!({ "type": "string" });
    let pods = tool(
        json!({
            "kind": { "type": "string", "description": "Type of thing to get (e.g., pods, deployments, services, events, etc.)" },
            "name": { "type": "string", "description": "Name of the thing" },
            "namespace": text,
        }),
        &["kind"],
    );
    pods.gives(
        "list pods in namespace payments",
        &json!({ "kind": "pods", "namespace": "payments" }),
    )
    .gives(
        "get the deployment auth-2 del namespace prod",
        &json!({ "kind": "deployment", "name": "auth-2", "namespace": "prod" }),
    )
    .gives("get services", &json!({ "kind": "services" }))
    .gives("get the services in the namespace that is new", &json!({ "kind": "services" }));
}

#[test]
fn a_number_is_the_id_of_what_is_counted_and_the_amount_of_what_its_description_counts() {
    let id = json!({ "todo_id": { "type": "string" } });
    tool(id, &["todo_id"]).gives("remove number 4 please", &json!({ "todo_id": "4" }));
    let ends = json!({
        "head": { "type": "number", "description": "If provided, returns only the first N lines" },
        "tail": { "type": "number", "description": "If provided, returns only the last N lines" },
    });
    tool(ends, &[])
        .gives("last 50 lines", &json!({ "tail": 50 }))
        .gives("the first 20 lines", &json!({ "head": 20 }));
}

#[test]
fn a_folder_needs_no_slash() {
    let path = json!({ "path": { "type": "string", "description": "The directory" } });
    tool(path, &["path"])
        .gives("what is in docs", &json!({ "path": "docs" }))
        .gives("show the docs folder", &json!({ "path": "docs" }))
        .gives("make one called drafts", &json!({ "path": "drafts" }))
        .gives("show it in order", &json!({}));
    for text in ["show the parent folder", "show the folder structure", "show it in JSON"] {
        let path = json!({ "path": { "type": "string", "description": "The directory" } });
        tool(path, &["path"]).gives(text, &json!({}));
    }
}

#[test]
fn text_stands_behind_a_colon_tags_behind_their_sign_and_an_exchange_is_two_quotations() {
    let text = json!({ "text": { "type": "string" } });
    tool(text, &["text"])
        .gives("新增一項待辦:星期五前繳電費", &json!({ "text": "星期五前繳電費" }))
        .gives(
            "jot this down: the key is under the mat",
            &json!({ "text": "the key is under the mat" }),
        );
    let tags = json!({ "tags": { "type": "array", "items": { "type": "string" } } });
    tool(tags, &["tags"]).gives("add #urgent and #work", &json!({ "tags": ["urgent", "work"] }));
    let edit = json!({ "type": "object", "properties": {
        "oldText": { "type": "string" }, "newText": { "type": "string" },
    }, "required": ["oldText", "newText"] });
    tool(json!({ "edits": { "type": "array", "items": edit } }), &["edits"]).gives(
        r#"change "Dear Sir" to "Dear Ana""#,
        &json!({ "edits": [{ "oldText": "Dear Sir", "newText": "Dear Ana" }] }),
    );
}

#[test]
fn what_a_repository_is_called_is_read_apart_and_no_file_is_one() {
    let text = json!({ "type": "string" });
    let both = json!({ "owner": text, "repo": text });
    tool(both, &["owner", "repo"]).gives(
        "merge PR 57 in dlopez/weather-cli",
        &json!({ "owner": "dlopez", "repo": "weather-cli" }),
    );
    let path = json!({ "type": "string", "description": "Path of the file" });
    let file = tool(json!({ "owner": text, "repo": text, "path": path }), &["owner", "repo"]);
    file.gives("change docs/install.md", &json!({ "path": "docs/install.md" }));
}

#[test]
fn a_quotation_that_words_lead_to_is_what_is_looked_for() {
    let query = json!({ "query": { "type": "string", "description": "What to search for" } });
    let find = tool(query, &["query"]);
    find.gives(
        "look up anything you have on \"Kilimanjaro trip\"",
        &json!({ "query": "Kilimanjaro trip" }),
    );
}

#[test]
fn only_a_statement_is_one() {
    let query = json!({ "query": { "type": "string", "description": "SELECT SQL query" } });
    let run = tool(query, &["query"]);
    let written = "SELECT city, COUNT(*) FROM shops GROUP BY city";
    run.gives(written, &json!({ "query": written }))
        .gives(&format!("run this: {written}"), &json!({ "query": written }))
        .gives("show all shops from the table of \"Lima\"", &json!({}))
        .gives("Delete the last order from my list", &json!({}));
}

#[test]
fn two_bare_numbers_stand_in_the_order_in_which_a_tool_names_them() {
    let number = json!({ "type": "number" });
    let apart = json!({ "latitude": number, "longitude": number });
    tool(apart, &["latitude", "longitude"]).gives(
        "what address is at 48.8584, 2.2945",
        &json!({ "latitude": 48.8584, "longitude": 2.2945 }),
    );
    let place = json!({ "type": "object", "required": ["latitude", "longitude"],
        "properties": { "latitude": number, "longitude": number } });
    let several = json!({ "places": { "type": "array", "items": place } });
    tool(several, &["places"]).gives(
        "how high is 19.4363, -9.0721",
        &json!({ "places": [{ "latitude": 19.4363, "longitude": -9.0721 }] }),
    );
}
