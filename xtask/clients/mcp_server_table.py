"""The servers that mcp_servers.py checks Waypost with: how each is started, what it reads, how it fails, what it writes.

Each function makes the data of a server in a folder. The words have quotation marks, or `called`, where a value would not be
found without them.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from checks import environment

# What the servers keep and find.
SENTENCE = "A bowline holds."
# The author of the commits.
NOBODY = "nobody@example.com"


@dataclass
class Act:
    """Something to ask for."""

    # The turns in which it is asked for in words; none if no words lead to it.
    words: tuple
    # The tool that does it, and the arguments that it is called with.
    tool: str
    arguments: dict
    # What the server says.
    said: str
    # Whether Waypost asks first, because the server does not say that the tool only reads.
    asks: bool = False


@dataclass
class Server:
    """A server with the folder of its data."""

    command: list
    # What Waypost takes some of its tools for.
    access: dict
    read: Act
    failure: Act
    # Writes under a name.
    write: Callable[[str], Act]
    # How often something was written under a name; nothing if that cannot be seen.
    made: Callable[[str], int] | None = None
    variables: dict = field(default_factory=dict)
    # The variable with the port, if it serves over HTTP.
    port: str | None = None


def of_node(program, *given):
    return [str(Path(environment("NODE_PROGRAMS")) / program), *map(str, given)]


def of_python(program, *given):
    return [str(Path(sys.executable).parent / program), *map(str, given)]


def filesystem(folder):
    note, missing = str(folder / "note.txt"), str(folder / "missing.txt")
    Path(note).write_text(f"{SENTENCE}\n")

    def write(name):
        path = str(folder / name)
        said = "Successfully created directory"
        return Act((f"create the directory {path}",), "create_directory", {"path": path}, said)

    return Server(
        command=of_node("mcp-server-filesystem", folder),
        access={"read_text_file": "read", "create_directory": "write", "write_file": "destructive"},
        read=Act((f"read the file {note}",), "read_text_file", {"path": note}, SENTENCE),
        failure=Act((f"read the file {missing}",), "read_text_file", {"path": missing}, "ENOENT"),
        write=write,
        made=lambda name: int((folder / name).is_dir()),
    )


def memory(folder):
    graph = folder / "graph.jsonl"
    entities = [
        {"type": "entity", "name": name, "entityType": "knot", "observations": [SENTENCE]}
        for name in ("bowline", "hitch", "splice", "whipping")
    ]
    graph.write_text("\n".join(map(json.dumps, entities)))
    unknown = {"observations": [{"entityName": "missing", "contents": [SENTENCE]}]}

    def write(name):
        words = (f'delete the entities "{name}"',)
        return Act(words, "delete_entities", {"entityNames": [name]}, "deleted successfully")

    return Server(
        command=of_node("mcp-server-memory"),
        variables={"MEMORY_FILE_PATH": graph},
        access={"open_nodes": "read", "create_entities": "write", "delete_entities": "destructive"},
        read=Act(('open the nodes "bowline"',), "open_nodes", {"names": ["bowline"]}, SENTENCE),
        failure=Act(
            (), "add_observations", unknown, "Entity with name missing not found", asks=True
        ),
        write=write,
        made=lambda name: int(f'"{name}"' not in graph.read_text()),
    )


def obsidian(folder):
    vault = folder / "harbor"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian/app.json").write_text("{}")
    (vault / "Knots.md").write_text(f"# Knots\n\n{SENTENCE}\n")

    def read(name, said):
        words = (f'read the note "{name}" in the vault called harbor',)
        return Act(words, "read-note", {"vault": "harbor", "filename": name}, said, asks=True)

    def write(name):
        words = (f'create a directory "{name}" in the vault called harbor',)
        given = {"vault": "harbor", "path": name}
        return Act(words, "create-directory", given, "Successfully created directory")

    return Server(
        command=of_node("obsidian-mcp", vault),
        access={"read-note": "write", "create-directory": "write"},
        read=read("Knots.md", SENTENCE),
        failure=read("Missing.md", 'Note "Missing.md" not found in vault'),
        write=write,
        made=lambda name: int((vault / name).is_dir()),
    )


def everything(_):
    blob = {"resourceType": "Blob", "resourceId": 0.5}
    words = ("get the resource reference of the type Blob with the id 0.5",)
    # Logging that is on already would be stopped.
    toggled = Act(
        ("toggle the simulated logging",),
        "toggle-simulated-logging",
        {},
        "Started simulated",
    )
    return Server(
        command=of_node("mcp-server-everything", "streamableHttp"),
        port="PORT",
        access={"get-sum": "read", "toggle-simulated-logging": "write"},
        read=Act(("what is the sum of 17 and 25",), "get-sum", {"a": 17, "b": 25}, "42"),
        failure=Act(words, "get-resource-reference", blob, "Invalid resourceId: 0.5"),
        write=lambda _: toggled,
    )


def git(folder):
    who = {
        f"GIT_{role}_{what}": NOBODY
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }

    def printed(*words):
        command = ["git", "-C", folder, *words]
        done = subprocess.run(
            command, env={**os.environ, **who}, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    printed("init", "--quiet")
    printed("commit", "--quiet", "--allow-empty", "--message", SENTENCE)
    unknown = {"repo_path": str(folder), "revision": "abc123"}

    def write(name):
        given = {"repo_path": str(folder), "branch_name": name}
        words = (f"create a branch called {name}",)
        return Act(words, "git_create_branch", given, f"Created branch '{name}'")

    return Server(
        command=of_python("mcp-server-git", "--repository", folder),
        access={"git_log": "read", "git_create_branch": "write"},
        read=Act(("show the git log",), "git_log", {"repo_path": str(folder)}, SENTENCE),
        failure=Act(
            ('show the revision "abc123"',),
            "git_show",
            unknown,
            "Ref 'abc123' did not resolve to an object",
        ),
        write=write,
        made=lambda name: printed("branch", "--list", name).count(name),
    )


def excel(folder):
    from openpyxl import Workbook, load_workbook

    book, missing = str(folder / "knots.xlsx"), str(folder / "missing.xlsx")
    made = Workbook()
    made.active.title = "Bends"
    made.save(book)

    def write(name):
        words = (f"add an empty worksheet called {name} to {book}",)
        return Act(words, "create_sheet", {"path": book, "new_name": name}, name)

    return Server(
        command=of_python("excel-mcp-server", "stdio"),
        access={
            "describe_workbook": "read",
            "create_sheet": "write",
            "delete_sheet": "destructive",
        },
        read=Act((f"describe the workbook {book}",), "describe_workbook", {"path": book}, "Bends"),
        failure=Act(
            (f"describe the workbook {missing}",),
            "describe_workbook",
            {"path": missing},
            "missing.xlsx does not exist",
        ),
        write=write,
        made=lambda name: load_workbook(book).sheetnames.count(name),
    )


def duckdb(folder):
    table = "CREATE TABLE IF NOT EXISTS knots (name VARCHAR)"
    ropes = folder / "ropes.duckdb"

    def columns(table, said):
        words = (f'list the columns of the table "{table}"',)
        return Act(words, "list_columns", {"table": table}, said)

    def write(name):
        sql = f"COPY (SELECT 1 AS one) TO '{folder / name}'"
        return Act(("execute the query", sql), "execute_query", {"sql": sql}, '"success": true')

    return Server(
        command=of_python(
            "mcp-server-motherduck", "--db-path", ropes, "--read-write", "--init-sql", table
        ),
        access={"list_columns": "read", "execute_query": "destructive"},
        read=columns("knots", "VARCHAR"),
        failure=columns("missing", "Table or view not found"),
        write=write,
        made=lambda name: int((folder / name).exists()),
    )


def word(folder):
    from docx import Document

    paper, missing = str(folder / "knots.docx"), str(folder / "missing.docx")
    made = Document()
    made.add_paragraph(SENTENCE)
    made.save(paper)

    def write(name):
        words = (f'add the heading "{name}" to {paper}',)
        return Act(words, "add_heading", {"filename": paper, "text": name}, f"'{name}'")

    return Server(
        command=of_python("word_mcp_server"),
        variables={"MCP_TRANSPORT": "streamable-http", "MCP_HOST": "127.0.0.1"},
        port="MCP_PORT",
        access={"find_text_in_document": "read", "add_heading": "write"},
        read=Act(
            (f'find the text "bowline" in the document {paper}',),
            "find_text_in_document",
            {"filename": paper, "text_to_find": "bowline"},
            SENTENCE,
        ),
        failure=Act(
            (f"show the outline of the document {missing}",),
            "get_document_outline",
            {"filename": missing},
            "missing.docx does not exist",
        ),
        write=write,
        made=lambda name: [part.text for part in Document(paper).paragraphs].count(name),
    )


# The packages of the servers, by what makes their data.
SERVERS = {
    filesystem: "@modelcontextprotocol/server-filesystem",
    memory: "@modelcontextprotocol/server-memory",
    obsidian: "obsidian-mcp",
    everything: "@modelcontextprotocol/server-everything",
    git: "mcp-server-git",
    excel: "excel-mcp-server",
    duckdb: "mcp-server-motherduck",
    word: "office-word-mcp-server",
}
