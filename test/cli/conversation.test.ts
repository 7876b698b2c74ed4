// The commands of the conversation in the real program: what a person sees, what a program gets, and what is refused.

import { chmodSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  BranchResult,
  BuiltPrompt,
  CompactContextResult,
  ContextWindow,
  PruneResult,
  RewindResult,
  SessionRow,
  SwitchModelResult,
  ViewedMessage,
} from '../../src/index.ts';
import { folder, fsck, NOON, type Repo, seen, session } from '../support/cli.ts';

const text = (words: string): object => ({ type: 'text', text: words });
const call = (id: string, output = 'x'.repeat(3000)): object => ({
  ...{ type: 'dynamic-tool', toolName: 'Bash', toolCallId: id, state: 'output-available' },
  ...{ input: { command: `npm test ${id}` }, output },
});

function say(repo: Repo, role: string, id: string, parts: object[], metadata: object = {}): void {
  const message = JSON.stringify({ id, role, parts, metadata: { created_at: NOON, ...metadata } });
  expect(repo.run(['messages', 'append', '-'], { input: message, now: NOON })).toMatchObject({ code: 0 });
}

/** A session of three turns; only copies of it are changed. */
let talk: Repo;

beforeAll(() => {
  talk = session('Add retry with backoff');
  talk.write(
    '.ctx/settings.json',
    JSON.stringify({ fsync: false, models: { 'big-1': { context: 4000, output: 500 } } }),
  );
  say(talk, 'user', 'user-1', [text('Add a retry.')]);
  say(talk, 'assistant', 'answer-1', [text('I use full jitter, because it spreads the load.'), call('c1')]);
  say(talk, 'user', 'user-2', [text('And a test.')]);
  say(talk, 'assistant', 'answer-2', [text('Done.'), call('c2')], {
    model: 'big-1',
    usage: { inputTokens: 2400, outputTokens: 100, cachedInputTokens: 400 },
  });
  say(talk, 'user', 'user-3', [text('And the docs.')]);
  say(talk, 'assistant', 'answer-3', [text('Written.')]);
});

const ids = (repo: Repo, ...options: string[]): string =>
  repo
    .json<ViewedMessage[]>(['messages', ...options])
    .map(({ id }) => id)
    .join(' ');

describe('ctx rewind and ctx unrewind', () => {
  test('a person sees what went out of view, the words to edit, and how to take it back', () => {
    const repo = talk.copy();
    expect(seen(repo.run(['rewind', '2']))).toMatchInlineSnapshot(`
      "exit 0
      out| Rewound to user-2: 3 messages out of view.
      out|   And a test.
      err| hint: Take it back with: ctx unrewind"
    `);
    expect(seen(repo.run(['unrewind']))).toMatchInlineSnapshot(`
      "exit 0
      out| Back at user-3: 3 messages in view again.
      out|   And the docs."
    `);
    expect(seen(repo.run(['unrewind']))).toMatchInlineSnapshot(`
      "exit 1
      err| error: No rewind is left to take back.
      err| hint: See every message with: ctx messages --view all"
    `);
  });

  test('a line that was begun after a rewind is named when the rewind is taken back', () => {
    const repo = talk.copy();
    repo.run(['rewind', 'user-1']);
    say(repo, 'user', 'user-4', [text('With a cap.')]);
    expect(seen(repo.run(['unrewind']))).toMatchInlineSnapshot(`
      "exit 0
      out| Back at user-3: 1 message out of view, 5 messages in view again.
      out|   And the docs.
      out| Kept: With a cap. and what follows, 1 message. Back to it: ctx rewind user-4"
    `);
    fsck(repo.dir);
  });

  test('a program gets ids and counts', () => {
    const repo = talk.copy();
    expect(repo.json<RewindResult>(['rewind', 'user-2'])).toMatchObject({
      message_id: 'user-2',
      text: 'And a test.',
      hidden: 3,
      shown: 0,
      world: null,
    });
    expect(ids(repo)).toBe('user-1 answer-1 user-2');
  });

  test('a message that is not the user’s is refused with the nearest two', () => {
    expect(seen(talk.run(['rewind', 'answer-1']))).toMatchInlineSnapshot(`
      "exit 1
      err| error: answer-1 is no message of the user: a conversation continues only from one.
      err| hint: The nearest are:
      err|   ctx rewind user-1   Add a retry.
      err|   ctx rewind user-2   And a test."
    `);
    expect(talk.refused(['rewind', 'answer-2'])).toMatchObject({
      exit: 1,
      code: 'invalid_input',
      data: { nearest: [{ message_id: 'user-2' }, { message_id: 'user-3' }] },
    });
  });
});

test('the files go back alone or with the conversation, and come back', () => {
  const repo = session('Add retry with backoff');
  repo.write('.ctx/settings.json', '{"fsync":false,"snapshots":true}');
  const file = repo.write('a.txt', 'one\n');
  const content = (): string => readFileSync(file, 'utf8');
  say(repo, 'user', 'user-1', [text('Change it.')]);
  repo.write('a.txt', 'changed\n');
  say(repo, 'assistant', 'answer-1', [text('Changed.')]);
  const restored = [{ path: 'a.txt', change: 'written' }];
  expect(repo.json<RewindResult>(['rewind', '--both', '--dry-run', '1'])).toMatchObject({
    hidden: 1,
    world: { restored },
  });
  expect(repo.json<RewindResult>(['rewind', '--chat', '1'])).toMatchObject({ hidden: 1, world: null });
  expect(repo.json<RewindResult>(['unrewind'])).toMatchObject({ shown: 1, world: null });
  expect(content()).toBe('changed\n');
  expect(repo.json<RewindResult>(['rewind', '--world', '1'])).toMatchObject({ hidden: 0, world: { restored } });
  expect(content()).toBe('one\n');
  repo.write('a.txt', 'by hand\n');
  expect(repo.json<RewindResult>(['unrewind', '--dry-run'])).toMatchObject({
    world: { restored: [], left: [{ path: 'a.txt', by: 'user' }] },
  });
  expect(repo.json<RewindResult>(['unrewind', '--force'])).toMatchObject({ world: { restored } });
  expect(content()).toBe('changed\n');
  repo.write('a.txt', 'by hand\n');
  expect(repo.json<RewindResult>(['rewind', '--both', '--force', '1'])).toMatchObject({ world: { restored } });
  expect(content()).toBe('one\n');
  expect(repo.refused(['rewind', '--force', '1'])).toMatchObject({ exit: 2 });
});

test.each([
  ['a rewind', ['rewind', 'user-2', '--install', 'codex'], 'And a test.', 'And the docs.'],
  ['a branch', ['branch', 'answer-2', '--install', 'codex'], 'Done.', 'And the docs.'],
  ['an export', ['export', '--to', 'codex', '--install', '--from', 'user-2'], 'And a test.', 'Add a retry.'],
])('%s is put where an agent resumes it, with what is in view', (_what, line, inside, outside) => {
  const home = folder('home-');
  const answer = talk.copy().json<{ file?: string; installed?: { file: string } }>(line, { env: { HOME: home } });
  const file = (answer.installed?.file ?? answer.file) as string;
  expect(file.startsWith(join(home, '.codex'))).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(inside);
  expect(readFileSync(file, 'utf8')).not.toContain(outside);
});

test('an export takes what the model sees or all of it, thoughts as text, and a prompt of some size', () => {
  const repo = talk.copy();
  expect(repo.run(['context', 'compact', '--summarizer', 'extract']).code).toBe(0);
  const view = repo.run(['export', '--to', 'markdown', '--model-view']);
  expect(repo.run(['export', '--to', 'markdown'])).toEqual(view);
  const full = repo.run(['export', '--to', 'markdown', '--full']);
  expect(full).toMatchObject({ code: 0, stdout: expect.stringContaining('I use full jitter') as string });
  expect(view.stdout).not.toBe(full.stdout);
  const thoughts = ['export', '--to', 'codex', '--reasoning', 'text', '-o', 'thoughts.jsonl'];
  expect(repo.run(thoughts)).toMatchObject({ code: 0 });
  const prompt = repo.run(['export', '--to', 'prompt', '--budget', '300']);
  expect(prompt).toMatchObject({ code: 0, stderr: '' });
  const small = repo.run(['export', '--to', 'prompt', '--budget', '10']);
  expect(small).toMatchObject({ code: 0, stderr: expect.stringContaining('more than the budget of 10') as string });
  expect(prompt.stdout.length).toBeLessThan(repo.run(['export', '--to', 'prompt', '--full']).stdout.length);
});

describe('ctx branch', () => {
  test('a branch is active at once and drawn below its parent', () => {
    const repo = talk.copy();
    const parent = repo.json<{ session_id: string }>(['stage', 'status']).session_id;
    const made = repo.json<BranchResult>([
      'branch',
      'answer-2',
      '--meta',
      'n=1',
      '--meta',
      'why=side',
      '--model',
      'p/m',
    ]);
    expect(made).toMatchObject({ parent_session_id: parent, parent_message_id: 'answer-2', messages: 4 });
    expect(repo.json<{ session_id: string }>(['stage', 'status']).session_id).toBe(made.session_id);
    const document = JSON.parse(repo.git('show', 'STAGE:session.json'));
    expect(document).toMatchObject({ metadata: { n: 1, why: 'side' }, model: 'p/m', parent_message_id: 'answer-2' });
    expect(seen(repo.run(['list', '--tree'])).replaceAll(/[0-9a-f]{6}(?= )/g, '<id>')).toMatchInlineSnapshot(`
      "exit 0
      out|   <short>  just now  -  Running  Add retry with backoff
      out| * <short>  just now  -  Running    Add retry with backoff"
    `);
    expect(
      seen(repo.run(['log', '--graph', '--all', '--oneline'])).replaceAll(/[0-9a-f]{10}|(?<=of )[0-9a-f]{6}/g, '<id>'),
    ).toMatchInlineSnapshot(`
      "exit 0
      out| * <oid1> 2026-01-22 Open (branch of <id>) Add retry with backoff
      out| * <oid2> 2026-01-22 Open Add retry with backoff"
    `);
    const rows = repo.json<SessionRow[]>(['list']);
    expect(rows.map((row) => row.parent_session_id)).toContain(parent);
    repo.run(['undo']);
    expect(repo.json<{ session_id: string }>(['stage', 'status']).session_id).toBe(parent);
  });

  test('an ephemeral branch leaves the active session active, is in no list, and is kept on request', () => {
    const repo = talk.copy();
    const parent = repo.json<{ session_id: string }>(['stage', 'status']).session_id;
    const { session_id } = repo.json<BranchResult>(['branch', 'user-1', '--of', parent, '--ephemeral', '--no-switch']);
    const listed = (line = ['list']): string[] => repo.json<SessionRow[]>(line).map((row) => row.session_id);
    expect(listed()).toEqual([parent]);
    expect(listed(['list', '--ephemeral'])).toContain(session_id);
    expect(repo.run(['list', '--ephemeral']).stderr).toContain('not shown: ctx list --tree --ephemeral\n');
    expect(listed(['stage', 'list', '--ephemeral'])).toContain(session_id);
    expect(listed(['stage', 'list'])).not.toContain(session_id);
    const kept = repo.run(['branch', '--keep'], { env: { CTX_SESSION: session_id } });
    expect(kept).toMatchObject({ code: 0, stdout: `Kept ${session_id}.\n` });
    expect(listed()).toContain(session_id);
    expect(repo.refused(['branch'])).toMatchObject({ exit: 2 });
  });
});

describe('reading', () => {
  test('a line of the conversation ends at a message', () => {
    const repo = talk.copy();
    repo.run(['rewind', 'user-2']);
    expect(ids(repo, '--view', 'branch')).toBe('user-1 answer-1 user-2');
    expect(ids(repo, '--view', 'branch', '--at', 'answer-3')).toBe('user-1 answer-1 user-2 answer-2 user-3 answer-3');
    expect(talk.refused(['messages', '--view', 'all', '--at', 'user-1'])).toMatchObject({ exit: 2 });
  });

  test('a message is shown by its id', () => {
    expect(seen(talk.run(['show', 'user-2']))).toMatchInlineSnapshot(`
      "exit 0
      out| user 2026-01-22 00:00:00Z user-2
      out|   And a test."
    `);
    expect(talk.json<{ kind: string; message: ViewedMessage }>(['show', 'answer-1'])).toMatchObject({
      kind: 'message',
      message: { id: 'answer-1', hidden: null },
    });
    expect(talk.refused(['show', 'nothing-of-the-kind'])).toMatchObject({ exit: 1, code: 'not_found' });
  });

  test('a message that is none is refused', () => {
    for (const input of [
      '{"role":"user"}',
      '[]',
      'words',
      '{"role":"nobody","parts":[]}',
      '{"id":"user-1","role":"user","parts":[]}',
    ])
      expect(talk.refused(['messages', 'append', '-'], { input }), input).toMatchObject({
        exit: 1,
        code: 'invalid_input',
      });
    expect(talk.refused(['messages', 'append', '--role', 'user', '{"role":"assistant","parts":[]}'])).toMatchObject({
      exit: 1,
    });
  });
});

describe('ctx context', () => {
  test('a person sees how full the window is, and what fills it', () => {
    expect(seen(talk.run(['context']))).toMatchInlineSnapshot(`
      "exit 0
      out| Model:    big-1
      out| Window:   4,000 tokens, 500 kept free for the answer, 3,500 usable
      out| Used:     2,506 (estimated), 71.6 %
      out| Reported: 2,500 for the last answer
      out| All calls of the session: 2,500 tokens
      out|
      out| By role (estimated):
      out|   user        12
      out|   assistant  889
      out|
      out| By tool (estimated):
      out|   Bash  874  2 calls
      out|
      out| Largest messages (estimated):
      out|   answer-1  448  assistant
      out|   answer-2  439  assistant
      out|   user-1      4  user
      out|   user-2      4  user
      out|   user-3      4  user
      out|   answer-3    2  assistant"
    `);
  });

  test('a program gets the numbers, and exit code 1 above its limit', () => {
    const window = talk.json<ContextWindow>(['context']);
    expect(window).toMatchObject({
      model: 'big-1',
      limit: 4000,
      reserve: 500,
      usable: 3500,
      reported: 2500,
      estimated: true,
    });
    expect(window.session).toMatchObject({ input: 2000, cache_read: 400, output: 100, total: 2500 });
    expect(talk.run(['context', '--warn', '60%']).code).toBe(1);
    expect(talk.run(['context', '--warn', '80%']).code).toBe(0);
    expect(talk.run(['context', '--warn', 'much']).code).toBe(2);
  });

  const room = (repo: Repo, auto: boolean): void => {
    const context = { auto, summarizer: 'extract' };
    const models = { 'big-1': { context: 2400, output: 500 } };
    repo.write('.ctx/settings.json', JSON.stringify({ fsync: false, context, models }));
  };

  test('a summary makes room before an export to an agent, unless the settings say no', () => {
    const repo = talk.copy();
    const exported = (file: string, ...options: string[]) =>
      repo.run(['export', '--to', 'codex', '-o', file, ...options]).stderr;
    room(repo, false);
    expect(exported('off.jsonl')).not.toContain('Summarised');
    room(repo, true);
    expect(exported('full.jsonl', '--full')).not.toContain('Summarised');
    expect(exported('on.jsonl')).toContain('warning: Summarised 1 earlier turn, so that the next one fits.');
  });

  test.each<readonly string[]>([
    ['branch', 'answer-3', '--install', 'codex'],
    ['rewind', 'user-3', '--install', 'codex'],
    ['resume', 'backoff', '--launch', 'codex', '--print-command'],
  ])('a summary makes room before ctx %s puts the conversation in place', (...line) => {
    const repo = talk.copy();
    room(repo, true);
    expect(repo.run(line, { env: { HOME: folder() } }).stderr).toContain(
      'Summarised 1 earlier turn, so that the next one fits.',
    );
  });

  test('a summary takes the place of the first turns, and is taken back', () => {
    const repo = talk.copy();
    const before = repo.run(['--json', 'messages']).stdout;
    expect(repo.json<CompactContextResult>(['context', 'compact', '--auto'])).toMatchObject({ part: null, hidden: 0 });
    expect(seen(repo.run(['context', 'compact', '--dry-run', '--summarizer', 'extract']))).toMatchInlineSnapshot(`
      "exit 0
      out| Would summarise 1 earlier turn (2 messages): 2,506 → 2,132 tokens (estimated)
      out|
      out|   ## Goal
      out|   - Add retry with backoff
      out|   The user asked, in order:
      out|   - Add a retry.
      out|
      out|   ## Progress
      out|   Commands that passed:
      out|   - \`npm test c1\` (done)
      out|
      out|   ## Decisions
      out|   - I use full jitter, because it spreads the load.
      out|
      out|   ## Next steps
      out|   The last words:
      out|   - I use full jitter, because it spreads the load."
    `);
    expect(repo.run(['--json', 'messages']).stdout).toBe(before);
    const made = repo.json<CompactContextResult>(['context', 'compact']);
    expect(made).toMatchObject({
      hidden: 2,
      turns: 1,
      tail_start_id: 'user-2',
      warnings: [],
      part: { type: 'data-compaction', data: { tail_start_id: 'user-2', auto: false } },
    });
    expect(made.tokens_after).toBeLessThan(made.tokens_before);
    expect(ids(repo)).toBe(`${made.message_id} user-2 answer-2 user-3 answer-3`);
    const all = repo.json<ViewedMessage[]>(['messages', '--view', 'all']);
    expect(all.filter(({ hidden }) => hidden?.by === 'compact').map(({ id }) => id)).toEqual(['user-1', 'answer-1']);
    expect(repo.run(['context', 'uncompact'])).toMatchObject({ code: 0 });
    expect(repo.run(['--json', 'messages']).stdout).toBe(before);
    expect(repo.refused(['context', 'uncompact'])).toMatchObject({ exit: 1, code: 'no_such_move' });
    fsck(repo.dir);
  });

  test('a rewind past a summary brings back what it replaced, exactly', () => {
    const repo = talk.copy();
    const before = repo.json<ViewedMessage[]>(['messages', '--to', 'user-1']);
    repo.run(['context', 'compact']);
    expect(repo.run(['rewind', '3'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ctx messages --view all --role user'),
    });
    repo.run(['rewind', 'user-1']);
    expect(repo.json<ViewedMessage[]>(['messages'])).toEqual(before);
  });

  test('outputs are pruned, oldest first, and brought back', () => {
    const repo = talk.copy();
    const before = repo.run(['--json', 'messages']).stdout;
    expect(repo.json<PruneResult>(['context', 'prune', '--protect', 'bash'])).toMatchObject({ pruned: [] });
    expect(repo.json<PruneResult>(['context', 'prune', '--dry-run'])).toMatchObject({ pruned: [{ call: 'c1' }] });
    expect(seen(repo.run(['context', 'prune', '--tokens', '100']))).toMatchInlineSnapshot(`
      "exit 0
      out| Pruned 1 output: 2,506 → 2,084 tokens (estimated)
      out|   Bash  422  c1
      err| hint: Bring them back with: ctx context restore"
    `);
    expect(repo.run(['messages', '--json']).stdout).toContain('<output pruned, 750 tokens>');
    expect(repo.run(['context', 'restore']).stdout).toBe('1 output in view again.\n');
    expect(repo.run(['--json', 'messages']).stdout).toBe(before);
    expect(repo.refused(['context', 'restore'])).toMatchObject({ exit: 1 });
  });
});

describe('ctx model use and ctx prompt build', () => {
  test('the next message of the user carries the model', () => {
    const repo = talk.copy();
    expect(seen(repo.run(['model', 'use', 'anthropic/big-1', '--variant', 'high']))).toMatchInlineSnapshot(`
      "exit 0
      out| The next messages go to anthropic/big-1 (high); before: big-1."
    `);
    expect(repo.json<SwitchModelResult>(['model', 'use', 'openai/other'])).toMatchObject({
      previous: 'anthropic/big-1',
    });
    say(repo, 'user', 'user-4', [text('Go on.')]);
    expect(repo.json<ViewedMessage[]>(['messages', '--from', 'user-4'])[0]?.metadata).toMatchObject({
      provider_id: 'openai',
      model_id: 'other',
    });
    expect(repo.refused(['model', 'use', 'nothing'])).toMatchObject({ exit: 1, code: 'invalid_input' });
  });

  test('a prompt is built from what is given, and recorded with the next answer', () => {
    const repo = talk.copy();
    repo.write('agent.md', 'You are an agent.\n');
    repo.write('tools.json', '{"read":{"inputSchema":{"type":"object"}}}');
    repo.write('AGENTS.md', 'Use tabs.\n');
    // biome-ignore format: a command line
    const line = ['prompt', 'build', '--agent-prompt', 'agent.md', '--tools', 'tools.json', '--platform', 'linux', '--root', '/project', '--git-status', '## main', '--date', '2026-01-22', '--model', 'm', '--variant', 'high'];
    expect(seen(repo.run(line)).replace(/[0-9a-f]{64}/, '<sha256>')).toMatchInlineSnapshot(`
      "exit 0
      out| You are an agent.
      out|
      out| # Project instructions
      out|
      out| <!-- AGENTS.md -->
      out| Use tabs.
      out|
      out| # Environment
      out|
      out| Platform: linux
      out| Workspace root: /project
      out| Git status:
      out| ## main
      out| Date: 2026-01-22
      out| Model: m (high)
      out|
      out| # Tools
      out|
      out| [
      out|   {
      out|     "inputSchema": {
      out|       "type": "object"
      out|     },
      out|     "name": "read"
      out|   }
      out| ]
      err| hint: SHA-256: <sha256>"
    `);
    expect(repo.run(['prompt', 'build', '--agent-prompt', 'agent.md']).stdout).toContain('You are an agent.');
    const refused = repo.run(['prompt', 'build', '--tools', '-'], { input: 'no' });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Standard input is no JSON') });
    const recorded = repo.run(['prompt', 'build', '--record', '--json']);
    const built = (JSON.parse(recorded.stdout) as { result: BuiltPrompt }).result;
    say(repo, 'assistant', 'answer-4', [text('Hello.')]);
    expect(repo.json<ViewedMessage[]>(['messages', '--from', 'answer-4'])[0]?.metadata).toMatchObject({
      system_prompt_digest: built.digest,
    });
  });
});

/** Answers of a server, in turn; the last answer stays. */
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown; cut?: boolean; hangs?: boolean };

test('a message that a summary replaces is hidden by it, whatever was rewound and taken back since', () => {
  const repo = talk.copy();
  const hidden = (): unknown =>
    repo.json<ViewedMessage[]>(['messages', '--view', 'all']).map(({ id, hidden: why }) => [id.slice(0, 8), why?.by]);
  const done = (...line: string[]): void => expect(repo.run(line)).toMatchObject({ code: 0 });
  done('context', 'compact', '--summarizer', 'extract');
  const [before, all] = [hidden(), repo.run(['--json', 'messages', '--view', 'all']).stdout];
  expect((before as []).slice(0, 3)).toEqual([
    ['user-1', 'compact'],
    ['answer-1', 'compact'],
    ['user-2', undefined],
  ]);
  for (const message of ['user-1', 'user-2', 'user-1']) {
    done('rewind', message);
    done('unrewind');
    expect(repo.run(['--json', 'messages', '--view', 'all']).stdout).toBe(all);
  }
  done('rewind', 'user-1');
  say(repo, 'user', 'user-4', [text('Another way.')]);
  done('unrewind');
  expect(hidden()).toEqual([...(before as []), ['user-4', 'unrewind']]);
  done('context', 'uncompact');
  done('undo');
  expect(hidden()).toEqual([...(before as []), ['user-4', 'unrewind']]);
});

describe('a summarizer', () => {
  const SUMMARY = '## Goal\nRetry.\n## Progress\nDone.\n## Decisions\nJitter.\n## Next steps\nDocs.\n';
  const completion = (content: string): object => ({ choices: [{ message: { content } }] });
  let server: Server;
  let replies: Reply[] = [];
  const asked: { url: string | undefined; authorization: string | undefined; body: Record<string, unknown> }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += String(piece);
      });
      request.on('end', () => {
        const { authorization } = request.headers;
        asked.push({ url: request.url, authorization, body: JSON.parse(body) });
        const reply = (replies.length > 1 ? replies.shift() : replies[0]) as Reply;
        if (reply.hangs) return;
        const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {});
        const length = reply.cut ? { 'content-length': String(text.length) } : {};
        response.writeHead(reply.status ?? 200, { ...reply.headers, ...length });
        if (!reply.cut) response.end(text);
        else response.write(text.slice(0, text.length / 2), () => response.destroy());
      });
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Compacts a copy of the session with answers of the server. */
  async function compacted(
    given: Reply[],
    context: object = {},
    options: string[] = [],
  ): Promise<Repo & { result: { code: number | null; stdout: string; stderr: string } }> {
    const repo = talk.copy();
    replies = [...given];
    asked.length = 0;
    const { port } = server.address() as AddressInfo;
    const openai = {
      base_url: `http://127.0.0.1:${port}/v1/`,
      model: 'small',
      key_variable: 'SUMMARY_KEY',
      timeout: '5s',
    };
    const settings = { fsync: false, context: { summarizer: 'openai', openai, ...context } };
    repo.write('.ctx/settings.json', JSON.stringify(settings));
    const result = await repo.start(['context', 'compact', ...options], { env: { SUMMARY_KEY: 'key-of-the-test' } });
    return { ...repo, result };
  }

  test('a model is asked once, without tools, and its summary is kept; the key is nowhere in the store', async () => {
    const { result, ...repo } = await compacted([{ body: completion(SUMMARY) }]);
    expect(result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Summarised 1 earlier turn (2 messages)') as string,
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      url: '/v1/chat/completions',
      authorization: 'Bearer key-of-the-test',
      body: { model: 'small', temperature: 0.2, max_tokens: 2000, stream: false },
    });
    expect(asked[0]?.body).not.toHaveProperty('tools');
    const [first] = repo.json<ViewedMessage[]>(['messages']);
    expect(first?.parts[0]).toMatchObject({
      data: { summarizer: 'openai', summary: expect.stringContaining('Jitter.') as string },
    });
    expect(repo.git('cat-file', '--batch-all-objects', '--batch')).not.toContain('key-of-the-test');
  });

  test.each<[string, Reply]>([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    ['an error of the server', { status: 500 }],
    ['half an answer', { body: completion(SUMMARY), cut: true }],
    ['half a document', { body: '{"choices":[{"mess' }],
    ['a page', { body: '<html>Busy</html>' }],
    [
      'an answer that was cut at its limit',
      { body: { choices: [{ message: { content: SUMMARY }, finish_reason: 'length' }] } },
    ],
    ['an answer that is no summary', { body: completion('Sure! Here you go.') }],
    ['an answer without a text', { body: { choices: [] } }],
  ])('is asked again after %s', async (_what, reply) => {
    const { result } = await compacted([reply, { body: completion(SUMMARY) }]);
    expect(result.code).toBe(0);
    expect(asked).toHaveLength(2);
  });

  test('that fails each time changes nothing, and the error says how to do without it', async () => {
    const { result, ...repo } = await compacted([{ status: 500 }], { retry_on_transient: 1 });
    expect(seen(result)).toMatchInlineSnapshot(`
      "exit 1
      err| error: The summarizer failed: it answered 500, 2 times. Nothing was summarised.
      err| hint: Summarise without it with: ctx context compact --summarizer extract"
    `);
    expect(asked).toHaveLength(2);
    expect(ids(repo)).toBe('user-1 answer-1 user-2 answer-2 user-3 answer-3');
  });

  const FAILED = 'The summarizer failed: it answered 500. Nothing was summarised.';
  const NO_ROOM = 'The next turn may not fit into the window of the model. Make room with: ctx context prune';

  interface Answer {
    result: { warnings?: string[]; installed?: { warnings: string[] } };
  }

  /** A copy of the session whose window is full, and whose summarizer answers that it failed. */
  function full(): Repo {
    const repo = talk.copy();
    replies = [{ status: 500 }];
    const { port } = server.address() as AddressInfo;
    const openai = { base_url: `http://127.0.0.1:${port}/v1`, model: 'small' };
    const context = { summarizer: 'openai', openai, retry_on_transient: 0 };
    const models = { 'big-1': { context: 2400, output: 500 }, small: { context: 2400, output: 500 } };
    repo.write('.ctx/settings.json', JSON.stringify({ fsync: false, context, models }));
    return repo;
  }

  test.each<[string, readonly string[], (answer: Answer) => unknown]>([
    ['export', ['export', '--to', 'codex', '-o', 'x.jsonl'], ({ result }) => result.warnings],
    ['branch', ['branch', 'answer-3', '--install', 'codex'], ({ result }) => result.installed?.warnings],
    ['resume', ['resume', 'backoff', '--launch', 'codex', '--print-command'], ({ result }) => result.warnings],
  ])('that fails before ctx %s is named, on standard error and to programs', async (_command, line, warningsIn) => {
    const env = { HOME: folder() };
    const said = await full().start(line, { env });
    expect(said).toMatchObject({ code: 0 });
    expect(said.stderr).toContain(`warning: ${FAILED}\nwarning: ${NO_ROOM}\n`);
    const answered = await full().start(['--json', ...line], { env });
    expect(answered).toMatchObject({ code: 0, stderr: '' });
    expect(warningsIn(JSON.parse(answered.stdout) as Answer)).toEqual([FAILED, NO_ROOM]);
  });

  test.each([[[]], [['--json']], [['--quiet']]])('that fails before ctx record is named: %j', async (options) => {
    const recorded = await full().start([...options, 'record', '--', process.execPath, '-e', '']);
    expect(recorded).toMatchObject({ code: 0, stdout: '', stderr: `warning: ${FAILED}\nwarning: ${NO_ROOM}\n` });
  });

  test('that fails before another model is chosen is named, and the model stays', async () => {
    const repo = full();
    const refused = await repo.start(['model', 'use', 'p/small']);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`warning: ${FAILED}\nerror: `) as string,
    });
    const answered = await repo.start(['--json', 'model', 'use', 'p/small']);
    expect(answered).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(answered.stdout)).toMatchObject({ error: { data: { warnings: [FAILED] } } });
  });

  test('that breaks off is named without a code', async () => {
    const { result } = await compacted([{ body: completion(SUMMARY), cut: true }], { retry_on_transient: 0 });
    expect(result.stderr).toContain('failed: the connection was closed before its whole answer. Nothing');
  });

  test('that thinks first is not quoted with its thoughts', async () => {
    const { result, ...repo } = await compacted([{ body: completion(`<think>\n## Goal\nHm.\n</think>\n${SUMMARY}`) }]);
    expect(result.code).toBe(0);
    expect(repo.run(['--json', 'messages']).stdout).not.toMatch(/Hm\.|think/);
  });

  test('that hangs is given up after its time', async () => {
    const openai = {
      base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      model: 'small',
      timeout: 0.2,
    };
    const { result } = await compacted([{ hangs: true }], { retry_on_transient: 0, openai });
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no whole answer within 0.2 s') as string,
    });
  });

  test('whose key is refused is not asked again', async () => {
    const { result } = await compacted([
      { status: 401, body: { error: { message: 'No such key:\nkey-of-the-test' } } },
    ]);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('refused: it answered 401: No such key: ….\n') as string,
    });
    expect(asked).toHaveLength(1);
  });

  const TOO_LARGE = { status: 400, body: { error: { code: 'context_length_exceeded' } } };

  test('for which the history is too large gets it without long outputs', async () => {
    const { result } = await compacted([TOO_LARGE, { body: completion(SUMMARY) }]);
    expect(result).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Long outputs of calls were left out') as string,
    });
    const sent = asked.map(({ body }) => JSON.stringify(body).length);
    expect(sent[1]).toBeLessThan((sent[0] as number) - 2500);
  });

  test('gets it in parts, whose summaries become one', async () => {
    const { result, ...repo } = await compacted([TOO_LARGE, TOO_LARGE, { body: completion(SUMMARY) }]);
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('in 2 parts') as string });
    const [first] = repo.json<ViewedMessage[]>(['messages']);
    const { summary } = (first as { parts: [{ data: { summary: string } }] } & ViewedMessage).parts[0].data;
    expect(summary.match(/^## .*$/gm)).toEqual(['## Goal', '## Progress', '## Decisions', '## Next steps']);
  });

  test('gets its beginning and its end, if the settings say so', async () => {
    const smart_recovery = { prune_tool_outputs: false, chunked_summarize: false, drop_middle: true };
    const { result } = await compacted([TOO_LARGE, { body: completion(SUMMARY) }], { smart_recovery });
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining('The middle of the history') as string });
  });

  test('for which it is too large in every way is a clear failure', async () => {
    const { result, ...repo } = await compacted([TOO_LARGE]);
    expect(seen(result)).toMatchInlineSnapshot(`
      "exit 1
      err| error: The history is too large for the summarizer.
      err| hint: Make room with: ctx context prune; summarise without a model with: ctx context compact --summarizer extract; or continue in a new session."
    `);
    expect(ids(repo)).toBe('user-1 answer-1 user-2 answer-2 user-3 answer-3');
  });

  test('that is a program is run only in a store that is trusted', () => {
    const repo = talk.copy();
    const program = repo.write(
      'summarise.sh',
      `#!/bin/sh\ncat > asked.json\nprintf '${SUMMARY.replaceAll('\n', '\\n')}'\n`,
    );
    chmodSync(program, 0o755);
    const context = { summarizer: 'command', command: { command: [program] } };
    repo.write('.ctx/settings.json', JSON.stringify({ fsync: false, context }));
    expect(repo.refused(['context', 'compact'])).toMatchObject({
      code: 'invalid_settings',
      hint: 'Trust it with: ctx init --trust',
    });
    expect(repo.run(['init', '--trust'])).toMatchObject({ code: 0 });
    expect(repo.json<CompactContextResult>(['context', 'compact'])).toMatchObject({
      part: { data: { summarizer: 'command' } },
    });
  });

  test.each([
    ['openai', 'settings.json names no server with a model that summarises.'],
    ['command', 'settings.json names no program that summarises.'],
  ])('%s that is not set up is refused', (name, message) => {
    expect(talk.refused(['context', 'compact', '--summarizer', name])).toMatchObject({
      code: 'invalid_settings',
      message,
    });
  });

  test.each([
    ['{"tail_turns":0}', '"context.tail_turns" takes a whole number from 1'],
    ['{"openai":{"model":"m"}}', '"context.openai" lacks "base_url"'],
    ['{"openai":{"base_url":"ftp://x","model":"m"}}', '"context.openai.base_url" takes an address: http://…'],
    [
      '{"openai":{"base_url":"http://x","model":"m","timeout":"30d"}}',
      '"context.openai.timeout" takes seconds above 0, or a duration such as "60s", a day at most',
    ],
    [
      '{"command":{"command":["sum"],"timeout":[5]}}',
      '"context.command.timeout" takes seconds above 0, or a duration such as "60s", a day at most',
    ],
    ['{"smart_recovery":{"drop_middle":1}}', '"context.smart_recovery.drop_middle" takes true or false'],
    ['{"summarizer":"magic"}', '"context.summarizer" takes "extract", "command" or "openai"'],
  ])('settings %s are refused with their line', (context, why) => {
    const repo = talk.copy();
    repo.write('.ctx/settings.json', `{\n  "context": ${context}\n}`);
    expect(repo.refused(['context'])).toMatchObject({
      code: 'invalid_settings',
      message: expect.stringContaining(`line 2: ${why}`) as string,
    });
  });
});
