#!/usr/bin/env bash
# Gemini CLI 0.61.0 empties a session that is loaded over the Agent Client Protocol within the minute in which it was made.
#
# Behaviour: a process of `gemini --acp` makes a session (`session/new`), has three turns in it (`session/prompt`), and ends. A second
#   process is asked to load it (`session/load`).
#   - In the same minute, the answer is an error, "No previous sessions found for this project.", and two records are appended to the
#     file of the session: a header, and a `$set` of `messages` to a list without any prompt or answer. The earlier lines are
#     still in the file, but a reader that applies its records has no message of the conversation any more.
#   - In a later minute, the session is loaded, and its file keeps the conversation. Such records are in another file, which has the same
#     session id. The answer comes before the history: of the six messages, all came after it. Only the context that the program
#     gives to the model came before.
# Source: the name of a file is `session-<date>T<hour>-<minute>-<first 8 characters of the id>.jsonl`. `loadSession`
#   (packages/cli/src/acp/acpSessionManager.ts) prepares a chat with the id before it looks for the session, and
#   `ChatRecordingService` (packages/core/src/services/chatRecordingService.ts) appends the beginning of a new session to the file of
#   that name. Reported in https://github.com/google-gemini/gemini-cli/issues/28693. `loadSession` does not wait for `streamHistory`
#   either; the protocol has the agent send the whole conversation first (https://agentclientprotocol.com/protocol/session-setup).
# Seen on Node 20.20.2: "session-2026-11-30T10-59-fd4db6ee.jsonl has 6 messages in 16 lines" once the session was made; "has 0 messages in
#   18 lines" once it was loaded in the same minute, and "has 6 messages in 18 lines" if in a later one.
# What it means for a client: it should load a session in a later minute than the one in which it was made, and must not take the answer to
#   `session/load` for the end of the history. For a reader of files: two files may have one session id, and a `$set` of `messages`
#   may remove a conversation that nobody meant to remove.
#
# Needs bash, Node 20 or later, and npm with a registry. Installs Gemini CLI into a temporary folder, runs it there with a home folder of
# its own against a server on 127.0.0.1 that stands for the API, and removes the folder at the end. If `unshare` and `ip` permit it, the
# network of the program has only `lo`. Takes about two minutes, since it waits for the beginning of a minute and for the next one.
# Exits 0 if Gemini CLI behaves so, 1 if it behaves otherwise, 2 if that cannot be determined.
set -euo pipefail

GEMINI=@google/gemini-cli@0.61.0

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
if ! npm install --silent --no-audit --no-fund --ignore-scripts --omit=optional --save-exact "$GEMINI"; then
  echo "$GEMINI cannot be installed." >&2
  exit 2
fi

cat >see.cjs <<'SCRIPT'
const { spawn } = require('node:child_process');
const { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { basename, join } = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');

const MINUTE = 60_000;
/** The part of a minute in which a session is begun, so that two processes fit into the minute. */
const EARLY = 20_000;
/** How often the load in the same minute is tried, if the minute ends before. */
const TRIALS = 3;
/** Longest that an answer, or the end of a process, may take, in milliseconds. */
const LONGEST = 50_000;
/** Longest that updates may take after the answer that they belong to, in milliseconds. */
const LONGEST_BEHIND = 10_000;

const PROMPTS = ['first prompt', 'second prompt', 'third prompt'];
const answerTo = (prompt) => `answer to the ${prompt}`;
const SAID = PROMPTS.flatMap((prompt) => [prompt, answerTo(prompt)]);
const SETTINGS = {
  general: { sessionRetention: { enabled: false } },
  security: { auth: { selectedType: 'gemini-api-key' } },
  telemetry: { enabled: false },
  privacy: { usageStatisticsEnabled: false },
};

const minuteOf = (time) => Math.floor(time / MINUTE);
const nextMinute = () => pause(MINUTE - (Date.now() % MINUTE) + 1000);
const isSaid = (texts) => JSON.stringify(texts) === JSON.stringify(SAID);

/** Answers the latest prompt of a request, as the API streams it. */
const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (!request.url.includes(':streamGenerateContent')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not found"}}');
      return;
    }
    const asked = Buffer.concat(pieces).toString();
    const content = { role: 'model', parts: [{ text: answerTo(PROMPTS.findLast((prompt) => asked.includes(prompt))) }] };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const event = { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata };
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(event)}\r\n\r\n`);
  });
});

/** A client of the protocol, with a process of the program. */
class Client {
  static running = new Set();
  /** Messages of the conversation in the updates so far. */
  texts = [];
  #child;
  #closed;
  #waiting = new Map();
  #rest = '';
  #errors = '';
  #count = 0;

  constructor({ project, env }) {
    const program = join(process.cwd(), 'node_modules', '.bin', 'gemini');
    this.#child = spawn(program, ['--acp', '--model', 'gemini-2.5-flash'], { cwd: project, env });
    Client.running.add(this.#child);
    this.#closed = new Promise((resolve) => this.#child.on('close', resolve));
    this.#child.on('error', (error) => (this.#errors += error.message));
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (bytes) => (this.#errors += bytes));
    this.#child.stdout.setEncoding('utf8').on('data', (text) => this.#takes(text));
  }

  async begins() {
    const fs = { readTextFile: false, writeTextFile: false };
    await this.asks('initialize', { protocolVersion: 1, clientCapabilities: { fs, terminal: false } });
    await this.asks('authenticate', { methodId: 'gemini-api-key' });
  }

  /** Sends a request; resolves with its answer, and the messages that had come before it. */
  asks(method, params) {
    this.#count += 1;
    const id = this.#count;
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer to ${method}: ${this.#errors}`)), LONGEST);
      this.#waiting.set(id, ({ result, error }) => {
        clearTimeout(late);
        resolve({ result, error, before: [...this.texts] });
      });
    });
  }

  /** Closes the connection, and waits for the end of the process. */
  async leaves() {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), LONGEST);
    await this.#closed;
    clearTimeout(late);
    Client.running.delete(this.#child);
  }

  #takes(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines.filter((one) => one.startsWith('{'))) {
      const packet = JSON.parse(line);
      const said = packet.params?.update?.content?.text;
      if (SAID.includes(said)) this.texts.push(said);
      if (packet.method === undefined) this.#waiting.get(packet.id)?.(packet);
    }
  }
}

/** Makes folders for a home and a project. */
function placeOf(name, url) {
  const home = join(process.cwd(), name);
  const project = join(home, 'project');
  for (const folder of [project, join(home, '.gemini')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(SETTINGS));
  const own = { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'none', GEMINI_CLI_TRUST_WORKSPACE: 'true' };
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm', GEMINI_CLI_NO_RELAUNCH: 'true', ...own };
  return { home, project: realpathSync(project), env };
}

/** The files of a session, by their names. */
function filesOf({ home }, sessionId) {
  const names = readdirSync(home, { recursive: true }).filter((name) => name.endsWith(`-${sessionId.slice(0, 8)}.jsonl`));
  return new Map(names.sort().map((name) => [basename(name), readFileSync(join(home, name), 'utf8')]));
}

/** The messages of the conversation in a file, once its records are applied. */
function messagesOf(file) {
  let messages = new Map();
  for (const line of file.split('\n').filter(Boolean)) {
    const record = JSON.parse(line);
    if (record.$set?.messages) messages = new Map(record.$set.messages.map((message) => [message.id, message]));
    else if (record.id !== undefined) messages.set(record.id, record);
  }
  const textOf = (content) => (typeof content === 'string' ? content : content.map(({ text }) => text).join(''));
  return [...messages.values()].map(({ content }) => textOf(content)).filter((text) => SAID.includes(text));
}

/** Makes a session in one process, and loads it in another one after a wait; returns what was seen, null if the minute was too short. */
async function see(place, wait) {
  const begin = { cwd: place.project, mcpServers: [] };
  const begun = Date.now();
  const first = new Client(place);
  await first.begins();
  const { sessionId } = (await first.asks('session/new', begin)).result;
  for (const text of PROMPTS) await first.asks('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  await first.leaves();
  const made = filesOf(place, sessionId);
  if (minuteOf(Date.now()) !== minuteOf(begun)) return null;

  await wait();
  const second = new Client(place);
  await second.begins();
  const { result, error, before } = await second.asks('session/load', { sessionId, ...begin });
  const answered = Date.now();
  while (!error && second.texts.length < SAID.length && Date.now() < answered + LONGEST_BEHIND) await pause(100);
  await second.leaves();
  const isSameMinute = minuteOf(answered) === minuteOf(begun);
  return { made, loaded: filesOf(place, sessionId), isAccepted: result !== undefined, error, before, texts: second.texts, isSameMinute };
}

function show(name, { made, loaded, isAccepted, error, before, texts }) {
  const countsOf = (files) =>
    [...files].map(([file, text]) => `${file} has ${messagesOf(text).length} messages in ${text.split('\n').length - 1} lines`).join(', ');
  console.log(`Loaded in ${name} minute:`);
  console.log(`  once it was made: ${countsOf(made)}`);
  console.log(`  session/load: ${isAccepted ? 'accepted' : JSON.stringify(error)}`);
  console.log(`  messages sent: ${before.length} before the answer, ${texts.length - before.length} after it`);
  console.log(`  once it was loaded: ${countsOf(loaded)}`);
}

/** Tries to make and load a session within one minute. */
async function seeSame(url) {
  for (let trial = 1; trial <= TRIALS; trial += 1) {
    if (Date.now() % MINUTE >= EARLY) await nextMinute();
    const seen = await see(placeOf(`same-${trial}`, url), () => undefined);
    if (seen?.isSameMinute) return seen;
  }
  return null;
}

async function seeLater(url) {
  if (Date.now() % MINUTE >= 2 * EARLY) await nextMinute();
  const seen = await see(placeOf('later', url), nextMinute);
  return seen?.isSameMinute ? null : seen;
}

async function main() {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const same = await seeSame(url);
  const later = await seeLater(url);
  if (!same || !later) {
    console.error('Not determined: the program was too slow for a minute.');
    return 2;
  }
  show('the same', same);
  show('a later', later);
  const fileOf = ({ made }) => [...made.keys()].find((name) => isSaid(messagesOf(made.get(name))));
  if (fileOf(same) === undefined || fileOf(later) === undefined) {
    console.error('Not determined: no file has the conversation once the session was made.');
    return 2;
  }
  const loadedOf = (seen) => seen.loaded.get(fileOf(seen)) ?? '';
  const whatHolds = {
    'the load in the same minute is refused': !same.isAccepted && /No previous sessions found/.test(JSON.stringify(same.error)),
    'it leaves no message of the conversation': messagesOf(loadedOf(same)).length === 0,
    'it leaves the earlier lines': loadedOf(same).startsWith(same.made.get(fileOf(same))),
    'the load in a later minute is accepted, and sends the conversation': later.isAccepted && isSaid(later.texts),
    'it leaves all messages': isSaid(messagesOf(loadedOf(later))),
    'it makes a second file of the session': later.made.size === 1 && later.loaded.size === 2,
    'it is answered before the whole conversation was sent': later.before.length < SAID.length,
  };
  const changed = Object.entries(whatHolds).filter(([, holds]) => !holds);
  for (const [what] of changed) console.error(`Changed, does not hold: ${what}.`);
  if (changed.length === 0) console.log('As described: only the session that was loaded in the minute in which it was made has lost its messages.');
  return changed.length === 0 ? 0 : 1;
}

main()
  .catch((error) => {
    console.error(error);
    return 2;
  })
  .then((code) => {
    for (const child of Client.running) child.kill('SIGKILL');
    server.close();
    server.closeAllConnections();
    process.exitCode = code;
  });
SCRIPT

inside=(unshare -rn sh -c 'ip link set lo up && exec "$@"' sh)
network='only lo'
if ! "${inside[@]}" true 2>/dev/null; then
  inside=(env)
  network='as it is'
fi
echo "Node $(node --version), $GEMINI, network: $network"
"${inside[@]}" node see.cjs
