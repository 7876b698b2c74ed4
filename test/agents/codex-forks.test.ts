// Forks of Codex and its sub-agents: what they carry along of their parent's records is that one's, and so are its tokens.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { listSessions } from '../../src/app/session/list.ts';
import { readChain } from '../../src/history/chain/chain.ts';
import { SESSIONS } from '../../src/history/names/layout.ts';
import { fsck, makeProject, type Project, temporaryFolder } from '../support/store.ts';
import { stored } from '../support/zstd.ts';

/** When the first session begins, in milliseconds: so does its id. */
const START = Date.parse('2026-01-21T12:00:00Z');
const HOUR = 3_600_000;

let project: Project;
let home: string;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
});

type Line = { timestamp: string; ordinal?: number; type: string; payload: Record<string, unknown> };

/** An id of version 7 that tells a time, or one that tells none. */
const idAt = (time: number, last: string): string => {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-${last.padStart(12, '0')}`;
};

interface Form {
  /** True if turns have ids that tell their times. */
  isDated: boolean;
  /** True if a sum is told with that of the latest call. */
  hasLast: boolean;
  isNumbered: boolean;
}

const TODAY: Form = { isDated: true, hasLast: true, isNumbered: false };

/** A rollout that is being written. */
class Rollout {
  readonly lines: Line[] = [];
  readonly file: string;
  readonly id: string;
  sum: number;
  now: number;
  readonly #form: Form;
  #first = 0;

  constructor(
    hours: number,
    last: string,
    form: Form,
    meta: object = {},
    before: { sum: number; ordinal: number } = { sum: 0, ordinal: 0 },
  ) {
    this.now = START + hours * HOUR;
    this.id = idAt(this.now, last);
    this.sum = before.sum;
    this.#first = before.ordinal;
    this.#form = form;
    const time = new Date(this.now).toISOString();
    this.file = join(
      home,
      '.codex/sessions/2026/01/21',
      `rollout-${time.slice(0, 19).replaceAll(':', '-')}-${this.id}.jsonl`,
    );
    this.put('session_meta', { id: this.id, timestamp: time, cwd: project.folder, ...meta });
  }

  put(type: string, payload: Record<string, unknown>, after = 1): void {
    this.now += after;
    const ordinal = this.#form.isNumbered ? { ordinal: this.#first + this.lines.length } : {};
    this.lines.push({ timestamp: new Date(this.now).toISOString(), ...ordinal, type, payload });
  }

  /** Copies the records of another one, all at once, at its own time or at that of theirs. */
  copy(lines: readonly Line[], keepsTimes = false): void {
    for (const { timestamp, type, payload } of lines) {
      if (keepsTimes) this.lines.push({ timestamp, type, payload });
      else this.put(type, payload);
    }
  }

  turn(words: string, tokens: number, after = 60_000): void {
    const turn_id = this.#form.isDated ? idAt(this.now + after, '1') : words;
    this.put('event_msg', { type: 'task_started', turn_id }, after);
    this.put('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] });
    const text = `${words}: done`;
    this.put('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
    this.sum += tokens;
    const last = this.#form.hasLast ? { last_token_usage: { input_tokens: tokens, output_tokens: 0 } } : {};
    const info = { total_token_usage: { input_tokens: this.sum, output_tokens: 0 }, ...last };
    this.put('event_msg', { type: 'token_count', info });
    this.put('event_msg', { type: 'thread_settings_applied', thread_settings: { model: 'gpt-5.5' } });
    this.put('event_msg', { type: 'task_complete', turn_id, last_agent_message: text });
  }

  write(): string {
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, this.lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return this.file;
  }
}

/** Input tokens of each session, by its agent's own id of it. */
function used(): Record<string, number | undefined> {
  const { refs, objects } = project.open();
  const sessions = [...refs.list(SESSIONS).values()].map((head) => readChain(objects, head).session);
  return Object.fromEntries(
    sessions.map(({ sources, usage }) => [String(sources[0]?.agent_session_id), usage?.['input']]),
  );
}

const FORMS: [string, Form][] = [
  ['turns with ids that tell their times', TODAY],
  ['ids that tell nothing', { ...TODAY, isDated: false }],
  ['ids that tell nothing, and sums alone', { isDated: false, hasLast: false, isNumbered: false }],
];

/** A parent of two turns, 250 tokens; a fork of it that used 50; and one of that after a turn of its own, which used 30. */
function family(form: Form): { parent: Rollout; fork: Rollout; nested: Rollout } {
  const parent = new Rollout(0, 'b1', form);
  parent.turn('one', 100);
  parent.turn('two', 150);
  const fork = new Rollout(2, 'b2', form, { forked_from_id: parent.id }, { sum: parent.sum, ordinal: 0 });
  fork.copy(parent.lines);
  fork.turn('three', 50);
  const nested = new Rollout(4, 'b3', form, { forked_from_id: fork.id }, { sum: fork.sum, ordinal: 0 });
  nested.copy(fork.lines);
  nested.turn('four', 10);
  nested.turn('five', 20);
  return { parent, fork, nested };
}

describe('a fork that has copies of its parent’s records', () => {
  describe.each(FORMS)('with %s', (_, form) => {
    test('counts what it used itself, in whichever order the family is read', () => {
      const { parent, fork, nested } = family(form);
      const files = [parent, fork, nested].map((each) => each.write());
      const orders = [
        [0, 1, 2],
        [2, 1, 0],
        [1, 0, 2],
        [1, 2, 0],
      ];
      for (const order of orders) {
        project = makeProject();
        for (const index of order) ingestTranscript(project.open(), files[index] as string);
        expect(used(), String(order)).toEqual({ [parent.id]: 250, [fork.id]: 50, [nested.id]: 30 });
      }
      const parents = listSessions(project.open()).map((one) => ('session_id' in one ? one.parent_session_id : null));
      expect(parents.filter((each) => each !== null)).toHaveLength(2);
      expect(fsck(project.store)).toBe('');
    });

    test('counts so where its parent is nowhere, and line by line', () => {
      const { fork, nested } = family(form);
      const files = [fork.write(), nested.write()];
      for (const file of files) ingestTranscript(project.open(), file);
      expect(used()).toEqual({ [fork.id]: 50, [nested.id]: 30 });
      project = makeProject();
      const lines = readFileSync(files[0] as string, 'utf8')
        .trimEnd()
        .split('\n');
      for (let end = 5; end <= lines.length; end += 1) {
        writeFileSync(files[0] as string, `${lines.slice(0, end).join('\n')}\n`);
        ingestTranscript(project.open(), files[0] as string);
      }
      expect(used()).toEqual({ [fork.id]: 50 });
    });
  });

  test('recognises copies that keep their times, or that precede a turn which begins at once', () => {
    const { parent } = family(TODAY);
    const kept = new Rollout(
      3,
      'c1',
      { ...TODAY, isDated: false },
      { parent_thread_id: parent.id },
      { sum: 250, ordinal: 0 },
    );
    kept.copy(parent.lines.slice(1), true);
    kept.turn('three', 5, 1);
    const fast = new Rollout(5, 'c2', TODAY, { forked_from_id: parent.id }, { sum: 250, ordinal: 0 });
    fast.copy(parent.lines);
    fast.turn('three', 7, 1);
    const beside = new Rollout(
      6,
      'c3',
      { ...TODAY, isDated: false },
      { forked_from_id: parent.id },
      { sum: 250, ordinal: 0 },
    );
    beside.copy(parent.lines);
    beside.turn('another three', 9, 1);
    parent.write();
    ingestMany(
      project.open(),
      [kept, fast, beside].map((each) => each.write()),
    );
    expect(used()).toEqual({ [kept.id]: 5, [fast.id]: 7, [beside.id]: 9 });
  });

  test('a fork in which nothing was said used nothing', () => {
    const { parent } = family(TODAY);
    const fork = new Rollout(3, 'c1', TODAY, { forked_from_id: parent.id }, { sum: 250, ordinal: 0 });
    fork.copy(parent.lines);
    ingestTranscript(project.open(), fork.write());
    expect(used()).toEqual({ [fork.id]: undefined });
  });

  test('a sub-agent that carries its caller’s history along counts its own; one that does not counts all', () => {
    const { parent } = family(TODAY);
    const source = { subagent: { thread_spawn: { parent_thread_id: parent.id, depth: 1 } } };
    const heir = new Rollout(1, 'd1', TODAY, { source }, { sum: 250, ordinal: 0 });
    heir.copy(parent.lines.slice(1));
    heir.turn('look for it', 40, 1);
    const other = new Rollout(1.5, 'd2', { ...TODAY, isDated: false }, { source });
    other.turn('look elsewhere', 60, 1);
    const files = [parent, heir, other].map((each) => each.write());
    ingestMany(project.open(), files);
    expect(used()).toEqual({ [parent.id]: 250, [heir.id]: 40, [other.id]: 60 });
  });
});

describe('a fork that names where its parent stays', () => {
  /** The parent goes on behind the place where it was forked. */
  function forked(form: Form, meta: (parent: Rollout) => object): { parent: Rollout; fork: Rollout } {
    const parent = new Rollout(0, 'b1', form, { history_mode: 'paginated' });
    parent.turn('one', 100);
    const before = { sum: parent.sum, ordinal: parent.lines.length };
    parent.turn('two', 150);
    const history_base = { thread_id: parent.id, end_ordinal_exclusive: before.ordinal, end_byte_offset: 1 };
    const fork = new Rollout(2, 'b2', form, { history_mode: 'paginated', history_base, ...meta(parent) }, before);
    fork.turn('three', 50);
    fork.turn('four', 25);
    return { parent, fork };
  }

  test.each([
    ['with its id beside that', { ...TODAY, isNumbered: true }, (parent: Rollout) => ({ forked_from_id: parent.id })],
    ['alone', { ...TODAY, isNumbered: true }, () => ({})],
    ['alone, with sums alone', { isDated: false, hasLast: false, isNumbered: true }, () => ({})],
  ])('%s counts what it used itself, in both orders, and is its parent’s child', (_, form, meta) => {
    const { parent, fork } = forked(form, meta);
    const files = [parent.write(), fork.write()];
    const own = project;
    for (const order of [files.toReversed(), files]) {
      project = order === files ? own : makeProject();
      for (const file of order) ingestTranscript(project.open(), file);
      expect(used()).toEqual({ [parent.id]: 250, [fork.id]: 75 });
      const parents = listSessions(project.open()).map((one) => ('session_id' in one ? one.parent_session_id : null));
      expect(parents.filter((each) => each !== null)).toHaveLength(1);
    }
    const status = captureStatus(project.open(), { environment: { HOME: home } });
    expect(status).toMatchObject({ complete: true, turns: 4, conversations: [{ turns: 2 }, { turns: 2 }] });
  });

  test('counts so where its parent is compressed', () => {
    const { parent, fork } = forked({ isDated: false, hasLast: false, isNumbered: true }, () => ({}));
    const file = parent.write();
    writeFileSync(`${file}.zst`, stored(readFileSync(file)));
    rmSync(file);
    ingestTranscript(project.open(), fork.write());
    expect(used()).toEqual({ [fork.id]: 75 });
  });

  test('counts never more than it used where its parent is not there, and that is named, until it is back', () => {
    const { parent, fork } = forked({ ...TODAY, isNumbered: true }, () => ({}));
    const file = fork.write();
    const around = { environment: { HOME: home } };
    const { problems } = ingestTranscript(project.open(), file);
    const message = `continues the rollout ${parent.id}, which is not there or cannot be read: what was said before is missing`;
    expect(problems).toMatchObject([{ line: 1, message, all_read: true }]);
    expect(used()).toEqual({ [fork.id]: 75 });
    expect(captureStatus(project.open(), around)).toMatchObject({
      complete: false,
      turns: 2,
      turns_stored: 2,
      problems: [{ agent: 'codex', file, reason: 'missing', message: `${file} ${message}.` }],
    });
    expect(catchUp(project.open(), around).problems).toHaveLength(1);
    const there = parent.write();
    ingestTranscript(project.open(), there);
    expect(captureStatus(project.open(), around)).toMatchObject({ complete: true, problems: [] });
    // The lines that were read before the file went away are kept.
    rmSync(there);
    expect(captureStatus(project.open(), around)).toMatchObject({ complete: true, problems: [] });
  });

  test('does not count the first call if only sums and no parent are known', () => {
    const { fork } = forked({ isDated: false, hasLast: false, isNumbered: true }, () => ({}));
    ingestTranscript(project.open(), fork.write());
    expect(used()).toEqual({ [fork.id]: 25 });
  });

  test('a history mode that is not known is named', () => {
    const rollout = new Rollout(0, 'b1', TODAY, { history_mode: 'woven' });
    rollout.turn('one', 100);
    const file = rollout.write();
    const what = 'has the history mode "woven", which ctx does not know: a part of the session may lie elsewhere';
    expect(ingestTranscript(project.open(), file).problems).toMatchObject([{ message: what, all_read: true }]);
    expect(captureStatus(project.open(), { environment: { HOME: home } })).toMatchObject({
      complete: false,
      turns_stored: 1,
      problems: [{ file, reason: 'newer', message: `${file} ${what}.` }],
    });
  });
});
