#!/usr/bin/env bash
# Claude Code 2.1.330 replaces the result of a call by an error if the id of the call is that of another one with `_` and a number behind it.
#
# Behaviour: a session has two calls, each with its result, whose ids are unique and match the pattern of the API (`^[a-zA-Z0-9_-]+$`).
#   If the ids are `a` and `a_2`, a resume sends the result of `a`, and for `a_2`, in place of the result that is in the file,
#   "[Tool result missing due to internal error]". The order does not matter, nor how far apart the calls are. With `a` and `a-2`, or
#   `a` and `b_2`, both results are sent. The program exits with 0, and standard error says nothing.
# Source: the documentation names only the pattern of ids. Other agents number their calls so (`call_1`, `call_1_1`), and programs
#   that write sessions for Claude Code keep such ids.
# What it means for a writer of sessions: of two ids, none may be the other one with `_<number>` behind it.
#
# Needs bash, Node 20 or later, and npm with a registry. Installs Claude Code into a temporary folder, lets it resume sessions in a
# temporary home against a server on 127.0.0.1 that stands for the API, and removes the folder at the end. No request leaves the machine.
# Exits 0 if Claude Code behaves so, 1 if it behaves otherwise, 2 if that cannot be determined.
set -euo pipefail

CLAUDE=@anthropic-ai/claude-code@2.1.330

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
if ! npm install --silent --no-audit --no-fund --save-exact "$CLAUDE"; then
  echo "$CLAUDE cannot be installed." >&2
  exit 2
fi

cat >see.cjs <<'SCRIPT'
const { spawn } = require('node:child_process');
const { mkdirSync, realpathSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { join } = require('node:path');

const LOST = '[Tool result missing due to internal error]';

/** Ids of two calls, and whether the result of the second one is lost. */
const CASES = [
  { ids: ['a', 'a_2'], loses: true },
  { ids: ['call_2', 'call_2_20'], loses: true },
  { ids: ['a', 'a-2'], loses: false },
  { ids: ['a', 'b_2'], loses: false },
];

let asked = null;

/** The events of an answer, as the API streams them. */
function answer() {
  const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', content: [], usage };
  return [
    event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'ok' } }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
    event('message_stop', {}),
  ].join('');
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (!request.url.startsWith('/v1/messages') || request.url.includes('count_tokens')) {
      response.writeHead(404).end('{}');
      return;
    }
    const body = JSON.parse(Buffer.concat(pieces).toString());
    if ((body.tools ?? []).length > 0) asked ??= body;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer());
  });
});

/** The lines of a session with two calls, each with its result. */
function sessionOf(ids, session, cwd) {
  const lines = [];
  const add = (type, message) => {
    const number = lines.length;
    const id = (at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const place = { uuid: id(number), parentUuid: number === 0 ? null : id(number - 1), isSidechain: false, userType: 'external' };
    const timestamp = new Date(Date.UTC(2026, 0, 1, 12, 0, number)).toISOString();
    lines.push(JSON.stringify({ ...place, sessionId: session, cwd, version: '2.1.330', gitBranch: '', type, message, timestamp }));
  };
  for (const [index, id] of ids.entries()) {
    const call = [{ type: 'tool_use', id, name: 'Bash', input: { command: 'true' } }];
    add('user', { role: 'user', content: `prompt ${index}` });
    add('assistant', { id: `msg_${index}`, type: 'message', role: 'assistant', model: 'another', content: call });
    add('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }] });
  }
  return `${lines.join('\n')}\n`;
}

/** Resumes a session; returns the results that the program sends, by the ids of their calls. */
async function sent(ids, number, url) {
  const [home, project] = [join(process.cwd(), `home-${number}`), join(process.cwd(), `project-${number}`)];
  mkdirSync(project);
  const cwd = realpathSync(project);
  const session = `11111111-1111-4111-8111-00000000000${number}`;
  const sessions = join(home, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(sessions, `${session}.jsonl`), sessionOf(ids, session, cwd));
  const off = { DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const env = { PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', ...off };
  asked = null;
  const program = join(process.cwd(), 'node_modules', '.bin', 'claude');
  const child = spawn(program, ['-p', '--resume', session, 'probe'], { cwd, env, stdio: 'ignore', timeout: 120_000 });
  await new Promise((resolve) => child.on('close', resolve));
  const blocks = (asked?.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const textOf = (content) => (typeof content === 'string' ? content : content.map(({ text }) => text).join(''));
  return new Map(blocks.filter(({ type }) => type === 'tool_result').map((block) => [block.tool_use_id, textOf(block.content)]));
}

async function main() {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  let [isAsDescribed, isKnown] = [true, true];
  for (const [number, { ids, loses }] of CASES.entries()) {
    const results = await sent(ids, number, url);
    for (const id of ids) console.log(`${ids.join(', ')}: the result of ${id} is sent as ${JSON.stringify(results.get(id))}`);
    const [first, second] = ids;
    if (results.get(first) !== `result of ${first}`) isKnown = false;
    if (results.get(second) !== (loses ? LOST : `result of ${second}`)) isAsDescribed = false;
  }
  if (!isKnown) {
    console.error('Not determined: the program does not send the result of the first call.');
    return 2;
  }
  console.log(isAsDescribed ? 'As described: the result is lost.' : 'Changed: see above.');
  return isAsDescribed ? 0 : 1;
}

main()
  .catch((error) => {
    console.error(error);
    return 2;
  })
  .then((code) => {
    server.close();
    server.closeAllConnections();
    process.exitCode = code;
  });
SCRIPT

echo "Node $(node --version), $CLAUDE"
node see.cjs
