// Checks Waypost with OpenAI's client for JavaScript: models, chat completions, responses, errors and keys.
//
// Prints as checks.py does. BASE_URL is a server without keys and with the pack `ocean`, such as http://127.0.0.1:8080.
// KEYED_URL is one with keys, and KEY a key of it. The package `openai` is looked for from where this file lies.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { VERSION } from "openai/version";

const MODEL = "waypost/ocean";
const NOW = "2026-03-18T10:00:00+08:00";
const QUESTION = "tides at Keelung tomorrow";
const OPEN_QUESTION = "How warm was the sea yesterday?";
const AT = { waypost: { now: NOW } };
const ASKED = { model: MODEL, messages: [{ role: "user", content: QUESTION }], ...AT };
const RESPONSE = { model: MODEL, input: QUESTION, ...AT };
// The most characters of an error that are printed.
const LONGEST = 400;

/** A check that cannot be made with this environment. */
class Skipped extends Error {}

function environment(name) {
  if (!process.env[name]) throw new Skipped(`${name} is not set`);
  return process.env[name];
}

/** A client that asks once, so that nothing is hidden by a second try. */
function client(url = "BASE_URL", apiKey = "any") {
  return new OpenAI({ baseURL: `${environment(url)}/v1`, apiKey, timeout: 30_000, maxRetries: 0 });
}

/** Asks with a conversation: the user's words and the assistant's in turn. */
function asked(said, extra = {}) {
  const messages = said.map((content, at) => ({ role: at % 2 ? "assistant" : "user", content }));
  return client().chat.completions.create({ model: MODEL, messages, waypost: { now: NOW, ...extra } });
}

const words = (reply) => reply.choices[0].message.content;

function holds(text, ...parts) {
  for (const part of parts) assert.ok(text.includes(part), `no '${part}' in '${text}'`);
}

/** The error of this kind that a promise is rejected with; fails if there is none. */
async function rejects(kind, promise) {
  const error = await promise.then(
    () => assert.fail(`no ${kind.name}`),
    (error) => error,
  );
  assert.ok(error instanceof kind, `${error} instead of ${kind.name}`);
  return error;
}

async function collected(stream) {
  const all = [];
  for await (const one of await stream) all.push(one);
  return all;
}

const CHECKS = {
  async models_are_listed() {
    const names = (await collected(client().models.list())).map((model) => model.id);
    assert.ok(names.includes(MODEL), `no ${MODEL} in ${names}`);
  },

  async a_model_is_retrieved() {
    assert.equal((await client().models.retrieve(MODEL)).id, MODEL);
  },

  async chat_answers() {
    const reply = await client().chat.completions.create(ASKED);
    holds(words(reply), "Keelung", "2026-03-19");
    assert.equal(reply.choices[0].finish_reason, "stop");
    assert.equal(reply.waypost.mode, "tool");
    assert.ok(reply._request_id, "the reply has no header x-request-id");
  },

  async chat_streams_the_same_words() {
    const whole = words(await client().chat.completions.create(ASKED));
    const chunks = await collected(client().chat.completions.create({ stream: true, ...ASKED }));
    assert.equal(chunks.map((chunk) => chunk.choices[0].delta.content ?? "").join(""), whole);
    assert.equal(chunks.at(-1).choices[0].finish_reason, "stop");
  },

  async chat_stream_ends_with_usage() {
    const counted = { stream: true, stream_options: { include_usage: true }, ...ASKED };
    const chunks = await collected(client().chat.completions.create(counted));
    const last = chunks.pop();
    assert.deepEqual(last.choices, []);
    assert.ok(last.usage.total_tokens > 0);
    assert.ok(chunks.every((chunk) => chunk.usage === null));
  },

  async chat_stream_is_put_together_by_the_client() {
    const stream = client().chat.completions.stream(ASKED);
    holds(words(await stream.finalChatCompletion()), "Keelung", "2026-03-19");
  },

  async a_choice_is_taken_by_its_number() {
    const question = words(await asked([OPEN_QUESTION]));
    holds(question, "\n1. ", "\n2. ");
    const second = question.split("\n2. ")[1].split("\n")[0];
    const reply = await asked([OPEN_QUESTION, question, "2"]);
    assert.equal(reply.waypost.mode, "tool");
    holds(words(reply).toLowerCase(), second.toLowerCase());
  },

  async a_conversation_can_be_named() {
    await asked([QUESTION], { session: "peers-node" });
    const reply = await asked(["and the day after tomorrow?"], { session: "peers-node" });
    holds(words(reply), "Keelung", "2026-03-20");
  },

  async an_unknown_model_is_not_found() {
    const asking = client().chat.completions.create({ ...ASKED, model: "nobody" });
    const error = await rejects(OpenAI.NotFoundError, asking);
    assert.deepEqual([error.code, error.param], ["model_not_found", "model"]);
  },

  async no_messages_are_refused() {
    const asking = client().chat.completions.create({ model: MODEL, messages: [] });
    assert.equal((await rejects(OpenAI.BadRequestError, asking)).param, "messages");
  },

  async responses_answer() {
    const reply = await client().responses.create(RESPONSE);
    holds(reply.output_text, "Keelung", "2026-03-19");
    assert.equal(reply.status, "completed");
  },

  async responses_stream_the_same_words() {
    const whole = (await client().responses.create(RESPONSE)).output_text;
    const events = await collected(client().responses.create({ stream: true, ...RESPONSE }));
    const deltas = events.filter((event) => event.type === "response.output_text.delta");
    assert.equal(deltas.map((event) => event.delta).join(""), whole);
    assert.equal(events.at(-1).type, "response.completed");
  },

  async responses_number_their_events() {
    const events = await collected(client().responses.create({ stream: true, ...RESPONSE }));
    assert.deepEqual(
      events.map((event) => event.sequence_number),
      events.map((_, at) => at),
    );
  },

  async responses_are_put_together_by_the_client() {
    const stream = client().responses.stream(RESPONSE);
    holds((await stream.finalResponse()).output_text, "Keelung", "2026-03-19");
  },

  async responses_go_on_from_an_earlier_one() {
    const { id } = await client().responses.create(RESPONSE);
    const further = { ...RESPONSE, input: "and the day after tomorrow?", previous_response_id: id };
    holds((await client().responses.create(further)).output_text, "Keelung", "2026-03-20");
  },

  async a_key_lets_in() {
    const keyed = client("KEYED_URL", environment("KEY"));
    holds(words(await keyed.chat.completions.create(ASKED)), "Keelung", "2026-03-19");
  },

  async a_wrong_key_lets_nobody_in() {
    const asking = client("KEYED_URL", "wp_wrong").chat.completions.create(ASKED);
    assert.equal((await rejects(OpenAI.AuthenticationError, asking)).code, "invalid_api_key");
  },
};

console.log(`client openai ${VERSION}`);
for (const [name, check] of Object.entries(CHECKS)) {
  try {
    await check();
    console.log(`ok ${name}`);
  } catch (error) {
    const why = `${error}`.split(/\s+/).join(" ").slice(0, LONGEST);
    if (error instanceof Skipped) {
      console.log(`skipped ${name}: ${error.message}`);
    } else {
      console.log(`FAILED ${name}: ${why}`);
      process.exitCode = 1;
    }
  }
}
