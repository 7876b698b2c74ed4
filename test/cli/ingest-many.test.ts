// `ctx ingest` of folders and of several files: what a user sees, and what a program gets.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { progressText } from '../../src/cli/commands/ingest-many.ts';
import type { IngestManyResult, ListedSession, LogEntry, Shown } from '../../src/index.ts';
import { onTerminal, opener } from '../strangers/pty.ts';
import { folder, fsck, NOON, type Repo, repository, seen } from '../support/cli.ts';
import { TRANSCRIPT } from '../support/samples.ts';

let repo: Repo;

/** A transcript of another conversation, some seconds before noon. */
function transcript(id: string, ago: number, task = `Add ${id}`): string {
  return TRANSCRIPT.replaceAll('conversation', id)
    .replaceAll('2026-01-22T00:00:00.000Z', new Date((NOON - ago) * 1000).toISOString())
    .replace('Add a cache', task);
}

/** The same lines as programs write them that put blanks between a key and its value. */
const spaced = (text: string): string => text.replace(/"(\w+)":(?=["{[\d]|null|true|false)/g, '"$1": ');

const subAgent = (parent: string, ago: number): string =>
  transcript(parent, ago, 'Look around').replaceAll('"type":"', '"isSidechain":true,"agentId":"x","type":"');

beforeEach(() => {
  repo = repository({ now: NOON });
  repo.write('old/a.jsonl', transcript('a', 7200));
  repo.write('old/b.jsonl', transcript('b', 3600));
  repo.write('old/b/subagents/agent-x.jsonl', subAgent('b', 3000));
  repo.write('old/readme.txt', 'hello');
});

describe('a folder', () => {
  test('is reported session by session, with sums, and again only what is new', () => {
    expect(seen(repo.run(['ingest', 'old']))).toMatchInlineSnapshot(`
      "exit 0
      out| Ingested <short1>: Add a (claude-code, 1 step, of /project)
      out| Ingested <short2>: Add b (claude-code, 1 step, of /project)
      out| Ingested <short3>: Look around (claude-code, 1 step, child of <short2>, of /project)
      out| 3 new sessions, 1 other file passed over
      out|   3 steps, 6 messages, 0 tool calls, 6 lines
      err| hint: 2 new sessions open: ctx list --open. Continue one with: ctx resume"
    `);
    expect(seen(repo.run(['ingest', 'old']))).toMatchInlineSnapshot(`
      "exit 0
      out| 3 transcripts with nothing new, 1 other file passed over"
    `);
    expect(seen(repo.run(['stage', 'list']))).toMatchInlineSnapshot(`
      "exit 0
      out|   <short>  60 minutes ago  claude-code  PendingComplete, paused  Add b
      out|   <short>  2 hours ago     claude-code  PendingComplete, paused  Add a
      err| hint: 1 branch or session of a sub-agent not shown: ctx list --tree"
    `);
    fsck(repo.dir);
  });

  test('names with -v the files that are passed over, and archives what has been idle for long', () => {
    const told = repo.copy().run(['ingest', 'old', '--verbose']);
    expect(told.stdout).toContain('old/readme.txt');
    repo.write('old/c.jsonl', transcript('c', 30 * 86_400));
    expect(seen(repo.run(['ingest', 'old/c.jsonl', 'old/readme.txt', '-v']))).toMatchInlineSnapshot(`
      "exit 1
      out| Ingested <short1>: Add c (claude-code, 1 step, saved, idle for 30 days, of /project)
      out| 1 new session, 1 session saved
      out|   1 step, 2 messages, 0 tool calls, 2 lines
      err| warning: <dir>/old/readme.txt: is no transcript that ctx knows."
    `);
    expect(repo.run(['log', '--oneline']).stdout).toMatch(/StaleAutoCompact +Add c/);
    expect(repo.run(['start', 'Go on']).code).toBe(0);
    fsck(repo.dir);
  });

  test('of a single file, makes the session active with --activate, however old, and whichever is active', () => {
    repo.run(['start', 'Something else']);
    repo.write('old/c.jsonl', transcript('c', 30 * 86_400));
    expect(repo.run(['ingest', 'old/c.jsonl', '--activate'])).toMatchObject({ code: 0 });
    expect(repo.json<{ task_description: string }>(['status']).task_description).toBe('Add c');
    expect(repo.run(['ingest', 'old', '--activate', '--compact']).code).toBe(2);
    repo.run(['undo']);
    expect(repo.json<{ task_description: string }>(['status']).task_description).toBe('Something else');
  });

  test('of a single file, its sub-agents are taken in with it', () => {
    expect(seen(repo.run(['ingest', 'old/b.jsonl']))).toMatchInlineSnapshot(`
      "exit 0
      out| Ingested <short1>: Add b
      out|   1 step, 2 messages, 0 tool calls, 2 lines
      out|   PendingComplete: Added. at <oid1>
      out| Ingested <short2>: Look around (claude-code, 1 step, child of <short1>, of /project)
      out| 1 new session
      out|   1 step, 2 messages, 0 tool calls, 2 lines"
    `);
    expect(seen(repo.run(['ingest', 'old/b.jsonl']))).toMatchInlineSnapshot(`
      "exit 0
      out| Nothing new in it: <short1> stays as it is."
    `);
    const [one, other] = repo.json<ListedSession[]>(['stage', 'list']);
    expect([one, other].map((session) => session?.parent_session_id ?? null).sort()).toContain(
      [one, other].find((session) => session?.task_description === 'Add b')?.session_id,
    );
    repo.write('old/b/subagents/agent-y.jsonl', 'no transcript');
    expect(seen(repo.run(['ingest', 'old/b.jsonl']))).toMatchInlineSnapshot(`
      "exit 0
      out| Nothing new in it: <short1> stays as it is."
    `);
    repo.run(['undo']);
    expect(repo.json<ListedSession[]>(['stage', 'list'])).toEqual([]);
    fsck(repo.dir);
  });

  test('of several files, their sub-agents are taken in with them, each once', () => {
    const line = ['ingest', 'old/a.jsonl', 'old/b.jsonl', 'old/b/subagents/agent-x.jsonl'];
    expect(repo.json<IngestManyResult>(line).totals).toMatchObject({ created: 3 });
    repo.run(['undo']);
    expect(repo.json<IngestManyResult>(line.slice(0, 3)).totals).toMatchObject({ created: 3 });
  });

  test('of a conversation that was forgotten, its sub-agents stay away, too', () => {
    repo.write('old/c.jsonl', transcript('c', 60));
    const { session_id } = repo.json<{ session_id: string }>(['ingest', 'old/c.jsonl']);
    repo.run(['forget', session_id, '--yes']);
    repo.write('old/c/subagents/agent-x.jsonl', subAgent('c', 30));
    const { stdout } = repo.run(['ingest', 'old/c.jsonl']);
    expect(stdout).toMatch(/^This conversation was forgotten on .*\n$/);
  });

  test('takes a copy of a session as a child of it', () => {
    const copied = transcript('c', 1800).replaceAll('"type":"user"', '"forkedFrom":{"sessionId":"a"},"type":"user"');
    repo.write('old/c.jsonl', copied);
    repo.run(['ingest', 'old']);
    const listed = repo.json<ListedSession[]>(['stage', 'list']);
    const idOf = (task: string) => listed.find(({ task_description }) => task_description === task)?.session_id;
    const parents = listed.map((session) => [session.task_description, session.parent_session_id]);
    expect(Object.fromEntries(parents)).toEqual({
      'Add a': null,
      'Add b': null,
      'Add c': idOf('Add a'),
      'Look around': idOf('Add b'),
    });
  });

  test.each([
    ['as they are written', (text: string) => text],
    ['with blanks, as other programs write them', spaced],
  ])(
    'takes a file that begins with lines of another session for the session that it is named after: %s',
    (_, written) => {
      const id = '01234567-89ab-4cde-8f01-23456789abcd';
      const own = transcript('c', 3600).replaceAll('"uuid":"', '"uuid":"later-');
      const later = own.replaceAll('"sessionId":"c"', `"sessionId":"${id}"`);
      repo.write(`old/${id}.jsonl`, written(transcript('a', 0) + later));
      // Copied under another name, and one that only looks like an id: what the first lines say.
      repo.write('old/copy.jsonl', written(transcript('d', 0) + transcript('e', 3600)));
      repo.write('old/fedcba98-89ab-4cde-8f01-23456789abcd.jsonl', written(transcript('f', 0)));
      const { sessions } = repo.json<IngestManyResult>(['ingest', 'old']);
      const sources = sessions.map(({ agent_session_id, parent_session_id }) => [
        agent_session_id,
        parent_session_id !== null,
      ]);
      expect(sources.sort()).toEqual([
        [id, true],
        ['a', false],
        ['b', false],
        ['b/agent-x', true],
        ['d', false],
        ['f', false],
      ]);
    },
  );

  test('leaves out a file with lines of a conversation that was forgotten, and makes it a child of the one before', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => `0123456${letter}-89ab-4cde-8f01-23456789abcd`) as [
      string,
      string,
      string,
    ];
    const lines = (id: string, ago: number): string =>
      transcript(id, ago)
        .replaceAll('"uuid":"', `"uuid":"${id.charAt(7)}-`)
        .replaceAll('"parentUuid":"', `"parentUuid":"${id.charAt(7)}-`);
    const alone = repository({ now: NOON });
    alone.write(`old/${a}.jsonl`, lines(a, 7200));
    alone.write(`old/${b}.jsonl`, lines(a, 7200) + lines(b, 3600));
    alone.write(`old/${c}.jsonl`, lines(a, 7200) + lines(b, 3600) + lines(c, 1800));
    const { sessions } = alone.json<IngestManyResult>(['ingest', 'old']);
    const idOf = (agent: string) => sessions.find((one) => one.agent_session_id === agent);
    const parents = [a, b, c].map((id) => idOf(id)?.parent_session_id ?? null);
    expect(parents).toEqual([null, idOf(a)?.session_id, idOf(b)?.session_id]);
    const store = repository({ now: NOON });
    store.write(`old/${a}.jsonl`, lines(a, 7200));
    const [first] = store.json<IngestManyResult>(['ingest', 'old']).sessions;
    store.run(['forget', String(first?.session_id), '--yes']);
    store.write(`old/${b}.jsonl`, lines(a, 7200) + lines(b, 3600));
    expect(store.json<IngestManyResult>(['ingest', 'old']).totals).toMatchObject({ created: 0, forgotten: 2 });
  });

  test('passes over a file with no conversation in it; alone it is refused', () => {
    const summary = '{"type":"summary","summary":"Add a cache","leafUuid":"x"}\n';
    repo.write('old/summaries.jsonl', summary);
    const { totals, passed_over, problems } = repo.json<IngestManyResult>(['ingest', 'old']);
    expect([totals.created, passed_over.length, problems]).toEqual([3, 2, []]);
    const alone = repository({ now: NOON });
    alone.write('summaries.jsonl', summary);
    expect(seen(alone.run(['ingest', 'summaries.jsonl']))).toMatchInlineSnapshot(`
      "exit 1
      err| error: There is no conversation in this transcript."
    `);
    expect(alone.json(['stage', 'list'])).toEqual([]);
    alone.write('summaries.jsonl', summary + transcript('a', 60));
    expect(alone.run(['ingest', 'summaries.jsonl'])).toMatchObject({ code: 0 });
  });

  test('says that another session is active only if one is', () => {
    expect(repo.run(['ingest', 'old', '--activate']).stdout).toContain(
      'Add b (claude-code, 1 step, active now, of /project)',
    );
    const of = (active: string): string => `hint: ${active} session is active; to continue this one: ctx switch `;
    expect(repo.run(['ingest', 'old/a.jsonl']).stderr).toContain(of('Another'));
    expect(repo.run(['stage', 'compact'])).toMatchObject({ code: 0 });
    expect(repo.run(['ingest', 'old/a.jsonl']).stderr).toContain(of('No'));
  });

  test('says of a file that it is shorter than what was read of it, or rewritten there', () => {
    repo.run(['ingest', 'old']);
    const [a, b] = [transcript('a', 7200), transcript('b', 3600)];
    repo.write('old/a.jsonl', a.slice(0, a.indexOf('\n') + 1));
    expect(seen(repo.run(['ingest', 'old/a.jsonl']))).toMatchInlineSnapshot(`
      "exit 0
      out| It is shorter than what was read of it before: what is kept of it stays.
      out| Nothing new in it: <short1> stays as it is.
      err| hint: No session is active; to continue this one: ctx switch <short1>"
    `);
    repo.write('old/a.jsonl', a.replace('Add a', 'Bdd a') + a.replaceAll('"uuid":"', '"uuid":"later-'));
    repo.write('old/b.jsonl', b.replace('Add b', 'Bdd b'));
    expect(seen(repo.run(['ingest', 'old']))).toMatchInlineSnapshot(`
      "exit 0
      out| Added to <short1>: Add a (claude-code, 1 step, of /project)
      out| 1 session added to, 2 transcripts with nothing new, 1 other file passed over
      out|   1 step, 1 message, 0 tool calls, 6 lines
      err| hint: Shorter than what was read before, or rewritten there: 2; what is kept of them stays (which: "read_before" with --json)."
    `);
    expect(seen(repo.run(['ingest', 'old']))).toMatchInlineSnapshot(`
      "exit 0
      out| 3 transcripts with nothing new, 1 other file passed over
      err| hint: Shorter than what was read before, or rewritten there: 1; what is kept of them stays (which: "read_before" with --json)."
    `);
    fsck(repo.dir);
  });

  test('gives a program a list with totals; children tell their parents', () => {
    const result = repo.json<IngestManyResult>(['ingest', 'old', '--compact']);
    expect(result).toMatchObject({
      totals: { created: 3, messages: 6, tool_calls: 0, lines: 6, steps_added: 3 },
      problems: [],
      passed_over: [join(repo.dir, 'old', 'readme.txt')],
    });
    const [, parent, child] = result.sessions;
    expect(child).toMatchObject({ parent_session_id: parent?.session_id, other_cwd: '/project', other_store: null });
    expect(repo.json<LogEntry[]>(['log'])[0]).toMatchObject({ parent_session_id: parent?.session_id });
    expect(repo.json<Shown>(['show', child?.session_id as string])).toMatchObject({
      parent_session_id: parent?.session_id,
    });
    for (const line of [
      ['log', '-n', '1'],
      ['show', 'HEAD'],
    ])
      expect(repo.run(line).stdout).toContain(`\nParent:  ${parent?.session_id}\n`);
  });

  test('with nothing in it says so', () => {
    expect(seen(repo.run(['ingest', folder()]))).toMatchInlineSnapshot(`
      "exit 0
      out| There is no transcript."
    `);
  });

  /** Two records on one line, as two programs that write at once leave them. */
  const glued = (text: string): string => text.replace('}\n{', '}{');

  test.each<[what: string, text: string, code: number, said: RegExp]>([
    [
      'a line that cannot be read',
      `{"type":\n${transcript('torn', 60)}`,
      1,
      /^warning: \.\/old\/torn\.jsonl:1: is not JSON .*\n$/,
    ],
    [
      'a line of several objects',
      glued(transcript('torn', 60)),
      0,
      /^warning: \.\/old\/torn\.jsonl:1: holds 2 JSON objects; all were read\n$/,
    ],
    [
      'a line of several objects, the last of which cannot be read',
      `${glued(transcript('torn', 60)).trimEnd()}{"type":\n`,
      1,
      /^warning: .*: is not JSON from character \d+ on; 2 whole objects on it, .*\n$/,
    ],
  ])(
    'with %s in it continues, says so, and exits with 1 only where something was not read',
    (_what, text, code, said) => {
      repo.write('old/torn.jsonl', text);
      const result = repo.run(['ingest', 'old', '-q']);
      expect(result.code).toBe(code);
      expect(result.stderr.replaceAll(repo.dir, '.')).toMatch(said);
      expect(repo.json<ListedSession[]>(['stage', 'list'])).toHaveLength(4);
    },
  );

  test('names more problems than fit by their number', () => {
    repo.write('old/torn.jsonl', `${'{"type":\n'.repeat(22)}${transcript('torn', 60)}`);
    const { stderr } = repo.run(['ingest', 'old', '-q']);
    expect(stderr.split('\n')).toHaveLength(22);
    expect(stderr).toContain('\nwarning: … and 2 more problems (all of them with --json)\n');
  });
});

describe('options', () => {
  test('--since takes a duration or a date, --agent one agent, and several paths may be given', () => {
    const since = (when: string): string[] =>
      repo
        .json<IngestManyResult>(['ingest', 'old/a.jsonl', 'old/b.jsonl', '--since', when])
        .sessions.map(({ file }) => file);
    const child = 'old/b/subagents/agent-x.jsonl';
    expect(since('90m')).toEqual(['old/b.jsonl', child].map((name) => join(repo.dir, name)));
    expect(since('2026-01-23')).toEqual([]);
    expect(since('2026-01-01')).toHaveLength(3);
    expect(repo.refused(['ingest', 'old', '--since', 'then'])).toMatchObject({
      exit: 2,
      message: '--since is not a time: then',
    });
    const codex = repo.json<IngestManyResult>(['ingest', 'old', '--agent', 'codex']);
    expect([codex.sessions.length, codex.passed_over.length]).toEqual([0, 4]);
  });

  test.each(['old', 'old/a.jsonl', 'none'])('an agent that ctx does not know is a wrong command line: %s', (path) => {
    const told = { exit: 2, message: 'There is no agent nope.' };
    expect(repo.refused(['ingest', path, '--agent', 'nope'])).toMatchObject(told);
  });

  test('--task is for one transcript only', () => {
    expect(repo.refused(['ingest', 'old', '--task', 'All of it'])).toMatchObject({
      exit: 2,
      message: '--task is for one transcript.',
    });
  });

  test('a session of a project without a store is left out and named, and taken in with --here', () => {
    const strange = folder();
    repo.write('one.jsonl', transcript('c', 60).replaceAll('/project', strange));
    const { stdout, stderr } = repo.run(['ingest', 'one.jsonl', 'old/a.jsonl']);
    expect(stdout).toContain('\n1 new session, 1 session of another project left out\n');
    expect(stderr).toContain(`hint: Left out, since their projects have no store: 1 of ${strange}. `);
    expect(repo.run(['ingest', 'one.jsonl', 'old/a.jsonl', '--here']).stdout).toContain(`, of ${strange})\n`);
  });

  test('a store that CTX_DIR names takes everything', () => {
    const strange = folder();
    writeFileSync(join(strange, 'one.jsonl'), transcript('c', 60).replaceAll('/project', strange));
    const env = { CTX_DIR: join(repo.dir, '.ctx') };
    expect(repo.run(['ingest', strange], { env }).stdout).toContain('\n1 new session\n');
  });
});

test.skipIf(!opener)('a terminal shows no progress of what takes no half second', () => {
  const { text, codes } = onTerminal([['ingest', 'old']], { cwd: repo.dir });
  expect(codes).toEqual([0]);
  expect(text).toContain('3 new sessions');
  expect(text).not.toContain('looking for transcripts');
});

test.each([
  [{ done: 0, total: 0, doing: 'looking for transcripts' }, 'looking for transcripts'],
  [{ done: 0, total: 3, doing: 'a.jsonl' }, '░░░░░░░░░░░░░░░░░░░░ 0 of 3: a.jsonl'],
  [{ done: 2, total: 3, doing: 'c.jsonl' }, '█████████████░░░░░░░ 2 of 3: c.jsonl'],
  [{ done: 3, total: 3, doing: 'd.jsonl' }, '████████████████████ 3 of 3: d.jsonl'],
])('the bar shows how far it is: %j', (step, shown) => {
  expect(progressText(step)).toBe(shown);
});
