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
