//! The two sides of a conversion, the base of a branch, and values that are left out or written of two.

use serde_json::json;

use super::{Tried, tool};

/// A clock whose reader is in Taipei.
fn clock() -> Tried {
    let zone = json!({ "type": "string", "description": "IANA timezone name" });
    let time = json!({ "type": "string", "description": "24-hour format (HH:MM)" });
    tool(
        json!({ "source_timezone": zone, "time": time, "target_timezone": zone }),
        &["source_timezone", "time", "target_timezone"],
    )
    .annotated(&json!({
        "source_timezone": { "default": "request_zone" },
        "target_timezone": { "default": "request_zone" },
    }))
}

#[test]
fn a_side_is_told_by_what_it_stands_beside() {
    let call = json!({
        "source_timezone": "America/Lima", "time": "09:00", "target_timezone": "Europe/Rome",
    });
    let clock = clock();
    for text in [
        "9am in Lima, what time is that in Rome?",
        "in Rome time, what is 9am Lima time?",
        "Lima to Rome, 9am",
        "if it's 9am in Lima, how late is it in Rome",
        "利馬早上九點是羅馬幾點",
        "早上九點的利馬，羅馬呢",
        "利馬時間早上九點換算羅馬時間",
        "利馬早上九點，換成羅馬時間",
        "利马早上九点，罗马几点",
        "9 giờ sáng ở Lima là mấy giờ ở Roma",
        "nếu ở Lima 9 giờ sáng thì Roma mấy giờ",
        "cuando en Lima son las 9 de la mañana, ¿qué hora es en Roma?",
        "las 9 de la mañana en Lima a hora de Roma",
        "I am in Lima, at 9am I call Rome, what time is it in Rome then?",
        "我在利馬，早上九點打給羅馬，羅馬那邊幾點",
    ] {
        clock.gives(text, &call);
    }
}

#[test]
fn here_is_the_zone_of_whoever_asks() {
    let clock = clock();
    let to_here = json!({
        "source_timezone": "America/Lima", "time": "09:00", "target_timezone": "Etc/UTC",
    });
    for text in [
        "9am in Lima, what time is that here?",
        "when it's 9am in Lima, what time do I have?",
        "利馬早上九點，我這邊是幾點",
        "9 giờ sáng ở Lima thì ở đây mấy giờ",
        "si en Lima son las 9 de la mañana, ¿qué hora es aquí?",
    ] {
        clock.gives(text, &to_here);
    }
    let from_here = json!({
        "source_timezone": "Etc/UTC", "time": "21:00", "target_timezone": "America/Lima",
    });
    for text in [
        "it's 9pm here, what about Lima?",
        "我這邊晚上九點，利馬幾點",
        "ở đây 9 giờ tối, Lima mấy giờ",
        "aquí son las 9 de la noche, ¿qué hora es en Lima?",
    ] {
        clock.gives(text, &from_here);
    }
}

#[test]
fn the_zone_that_a_time_is_said_with_is_an_argument_of_its_own() {
    clock().gives(
        "what would 7pm GMT be in Rome",
        &json!({ "source_timezone": "GMT", "time": "19:00", "target_timezone": "Europe/Rome" }),
    );
}

#[test]
fn a_place_that_nobody_knows_is_not_here() {
    let zone = json!({ "type": "string", "description": "IANA timezone name" });
    tool(json!({ "timezone": zone }), &["timezone"])
        .annotated(&json!({ "timezone": { "default": "request_zone" } }))
        .gives("what time is it in Lima", &json!({ "timezone": "America/Lima" }))
        .gives("what time is it in Atlantis", &json!({}))
        .gives("what time is it", &json!({ "timezone": "Etc/UTC" }));
}

#[test]
fn a_range_may_be_open_where_the_tool_needs_no_end() {
    let day = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null });
    tool(json!({ "since": day, "until": day }), &[])
        .annotated(&json!({
            "since": { "kind": "range", "part": "start", "bias": "past" },
            "until": { "kind": "range", "part": "end", "bias": "past" },
        }))
        .gives("after 2025-10-03", &json!({ "since": "2025-10-04", "until": "2025-11-06" }))
        .gives("10/3 以後", &json!({ "since": "2025-10-04", "until": "2025-11-06" }))
        .gives("before 2025-10-03", &json!({ "until": "2025-10-02" }))
        .gives("on 2025-10-03", &json!({ "since": "2025-10-03", "until": "2025-10-03" }));
}

fn branch() -> Tried {
    let name = json!({ "type": "string" });
    let base = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    tool(json!({ "branch_name": name, "base_branch": base }), &["branch_name"])
}

#[test]
fn what_is_made_is_no_base_and_the_base_is_not_made() {
    let call = json!({ "branch_name": "feature/a-1", "base_branch": "release-3" });
    let branch = branch();
    for text in [
        "create a branch feature/a-1 off of release-3",
        "make feature/a-1 from release-3",
        "a new branch feature/a-1 based on release-3",
        "從 release-3 新建分支 feature/a-1",
        "基于 release-3 创建分支 feature/a-1",
        "tạo nhánh feature/a-1 từ release-3",
        "crea la rama feature/a-1 desde release-3",
    ] {
        branch.gives(text, &call);
    }
    branch
        .gives("create the branch feature/a-1", &json!({ "branch_name": "feature/a-1" }))
        .gives("create the branch users/ada/a-1", &json!({ "branch_name": "users/ada/a-1" }))
        .gives("create a branch from main", &json!({ "base_branch": "main" }))
        .gives("create a new branch", &json!({}))
        .gives("crea una rama nueva", &json!({}))
        .gives("tạo nhánh mới", &json!({}));
}

#[test]
fn a_usual_value_gives_way_only_to_words_that_speak_for_it() {
    let path = json!({ "type": "string", "description": "The path of the repository" });
    let files = json!({ "type": "array", "items": { "type": "string" } });
    let add = tool(json!({ "repo_path": path, "files": files }), &["repo_path", "files"])
        .annotated(&json!({ "repo_path": { "default": "." } }));
    add.gives("add a.py and b/c.py", &json!({ "repo_path": ".", "files": ["a.py", "b/c.py"] }))
        .gives("add a.py in ~/work", &json!({ "repo_path": "~/work", "files": ["a.py"] }))
        .gives("add *.md", &json!({ "repo_path": ".", "files": ["*.md"] }));
    let message = json!({ "type": "string" });
    tool(json!({ "repo_path": path, "message": message }), &["repo_path", "message"])
        .annotated(&json!({ "repo_path": { "default": "." } }))
        .gives("commit with \"Fix it\"", &json!({ "repo_path": ".", "message": "Fix it" }));
}

#[test]
fn what_is_denied_fills_only_what_leaves_out() {
    let commit = json!({ "type": "string", "description": "A commit sha" });
    let list = tool(json!({ "contains": commit, "not_contains": commit }), &[]).annotated(&json!({
        "contains": { "kind": "revision", "cues": ["contain", "with", "contienen", "包含"] },
        "not_contains": { "kind": "revision", "cues": ["not contain", "without", "no contienen", "不包含"] },
    }));
    list.gives("branches that contain 3f2a1b0", &json!({ "contains": "3f2a1b0" }));
    for text in [
        "branches that don't contain 3f2a1b0",
        "branches without 3f2a1b0",
        "ramas que no contienen 3f2a1b0",
        "不包含 3f2a1b0 的分支",
    ] {
        list.gives(text, &json!({ "not_contains": "3f2a1b0" }));
    }
}

#[test]
fn a_pack_may_have_words_for_values_that_no_schema_lists() {
    let files = json!({ "type": "array", "items": { "type": "string" } });
    tool(json!({ "files": files, "revision": { "type": "string" } }), &[])
        .annotated(&json!({
            "files": { "kind": "path", "values": { ".": ["everything", "全部", "mọi thứ", "todo"] } },
            "revision": { "kind": "revision", "values": { "HEAD": ["last commit", "最後一次提交"] } },
        }))
        .gives("stage everything", &json!({ "files": ["."] }))
        .gives("全部暫存", &json!({ "files": ["."] }))
        .gives("stage a.py and b.py", &json!({ "files": ["a.py", "b.py"] }))
        .gives("show the last commit", &json!({ "revision": "HEAD" }))
        .gives("看最後一次提交", &json!({ "revision": "HEAD" }))
        .gives("show v1.2", &json!({ "revision": "v1.2" }));
}

#[test]
fn a_value_may_be_written_of_two() {
    let revision = json!({ "type": "string", "description": "A commit, or <revision>:<path>" });
    tool(json!({ "revision": revision, "repo_path": { "type": "string" } }), &["revision"])
        .annotated(&json!({ "repo_path": { "default": "." } }))
        .gives("show v1.0", &json!({ "revision": "v1.0", "repo_path": "." }))
        .gives("show src/a.py at v1.0", &json!({ "revision": "v1.0:src/a.py", "repo_path": "." }));
}
