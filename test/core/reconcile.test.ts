// Tests which events are stored already: every case of the table, and beside each the nearest one that is another event.
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/index.ts';
import { distinctReports, freshReports, NO_TRANSCRIPT } from '../../src/core/intake/backlog.ts';
import { Deeds, hasSameOutcome, type Outcome } from '../../src/core/intake/deeds.ts';
import { Notes } from '../../src/core/intake/notes.ts';
import { type Event, type LastPrompt, reconcile, type Stored, type Verdict } from '../../src/core/intake/reconcile.ts';
import { Words } from '../../src/core/intake/words.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import { fc } from '../support/property.ts';

const CALL = 'toolu_01TestAbCdEfGhIjKlMnOp';
let made = 0;

/** A record of a command; `more` may make it a hook's. */
function command(more: object = {}): StoredRecord {
  made += 1;
  const body = { kind: 'command', command: 'npm test', exit_code: 0, output: 'ok', tool_call_id: CALL };
  return { version: 1, id: `r${made}`, at: 1000, ...body, ...more } as unknown as StoredRecord;
}
const hooks = (more: object = {}): StoredRecord => command({ hook: true, ...more });
/** A report without an id. */
const unnamed = (more: object = {}): StoredRecord =>
  hooks({ tool_call_id: undefined, told_at: '1970-01-01T00:16:40Z', ...more });

type Place = Parameters<Deeds['add']>[1];

function deeds(...stored: [StoredRecord, Place][]): Stored {
  const all = new Deeds();
  for (const [record, place] of stored) all.add(record, place);
  return { deeds: all };
}

const reported = (record: StoredRecord): Event => ({ kind: 'deed', from: 'hook', record, payloads: [] });
const read = (body: StoredRecord, from: 'transcript' | 'sub-agent' = 'transcript', at = 1000): Event => ({
  ...{ kind: 'deed', from, body, at },
  inStoredForm: () => body,
});

describe('a deed that a hook reports', () => {
  test.each<[string, Stored, StoredRecord, Verdict]>([
    ['nothing is stored', {}, hooks(), 'new'],
    ['the same report is pending', deeds([hooks(), 'pending']), hooks(), 'same'],
    ['another report of the call is pending', deeds([hooks({ output: 'more' }), 'pending']), hooks(), 'new'],
    ['the report was flushed in this turn', deeds([hooks({ exit_code: null }), 'turn']), hooks(), 'same'],
    ['another report was flushed', deeds([hooks({ output: 'more' }), 'turn']), hooks(), 'new'],
    ['the same report of the unique call was flushed in an earlier turn', deeds([hooks(), 'earlier']), hooks(), 'same'],
    [
      'a report of a call of that number was flushed in an earlier turn',
      deeds([hooks({ tool_call_id: 'call_1' }), 'earlier']),
      hooks({ tool_call_id: 'call_1' }),
      'new',
    ],
    ['the transcript has it', deeds([command({ output: 'more' }), 'turn']), hooks(), 'same'],
    ['the transcript has another deed of the call', deeds([command({ command: 'ls' }), 'turn']), hooks(), 'new'],
    ['the transcript of an earlier turn has the unique call', deeds([command(), 'earlier']), hooks(), 'same'],
    [
      'the transcript of an earlier turn has a call of that number',
      deeds([command({ tool_call_id: 'call_1' }), 'earlier']),
      hooks({ tool_call_id: 'call_1' }),
      'new',
    ],
    ['the transcript has one like it, and it has no id', deeds([command({ at: 1100 }), 'earlier']), unnamed(), 'same'],
    ['that was done at another time', deeds([command({ at: 2000 }), 'earlier']), unnamed(), 'new'],
    ['that ended differently', deeds([command({ exit_code: 1 }), 'earlier']), unnamed(), 'new'],
  ])('%s', (_, stored, record, verdict) => {
    expect(reconcile(stored, reported(record))).toBe(verdict);
  });
});

describe('a deed of a transcript', () => {
  test.each<[string, Stored, Event, Verdict]>([
    ['nothing is stored', {}, read(command()), 'new'],
    ['a hook has reported the call', deeds([hooks(), 'turn']), read(command({ output: 'more' })), 'same'],
    ['the transcript itself has it', deeds([command(), 'turn']), read(command()), 'new'],
    [
      'a pending report lacks the exit code',
      deeds([hooks({ exit_code: null }), 'pending']),
      read(command()),
      'completes',
    ],
    ['a flushed report lacks it', deeds([hooks({ exit_code: null }), 'turn']), read(command()), 'same'],
    ['a hook without ids has reported one like it', deeds([unnamed(), 'turn']), read(command()), 'same'],
    ['a hook without ids has reported another', deeds([unnamed({ command: 'ls' }), 'turn']), read(command()), 'new'],
    ['a sub-agent: its caller has it', deeds([hooks(), 'turn']), read(command(), 'sub-agent'), 'same'],
    [
      'a sub-agent: its caller lacks the exit code',
      deeds([hooks({ exit_code: null }), 'turn']),
      read(command(), 'sub-agent'),
      'new',
    ],
    ['a sub-agent: a like one of its caller', deeds([unnamed(), 'turn']), read(command(), 'sub-agent'), 'same'],
    ['a sub-agent: a later one of its caller', deeds([unnamed(), 'turn']), read(command(), 'sub-agent', 999), 'new'],
  ])('%s', (_, stored, event, verdict) => {
    expect(reconcile(stored, event)).toBe(verdict);
  });

  test('a report without an id is the same as one deed, the likeliest', () => {
    const stored = deeds([unnamed({ output: 'first' }), 'turn'], [unnamed({ output: 'second' }), 'turn']);
    const verdicts = ['second', 'second', 'first'].map((output) => reconcile(stored, read(command({ output }))));
    expect(verdicts).toEqual(['same', 'new', 'same']);
  });
});

describe('a deed of which the hook has no id', () => {
  const ran = (exit_code: number | null, output: string | null): Outcome => ({ exit_code, output });
  const owners = Object.fromEntries(AGENTS.flatMap(({ name, isSame }) => (isSame ? [[name, isSame]] : [])));
  const rules: typeof owners = { ...owners, default: hasSameOutcome };

  test.each<[string, Outcome, Outcome, ...same: string[]]>([
    ['nothing is known', ran(null, null), ran(null, null), 'default', 'gemini'],
    ['equal', ran(0, 'ok'), ran(0, 'ok'), 'default', 'gemini'],
    ['one has no code', ran(null, 'ok'), ran(1, 'ok'), 'default', 'gemini'],
    ['one has no output', ran(0, null), ran(0, 'ok'), 'default', 'gemini'],
    ['another code', ran(1, 'ok'), ran(0, 'ok')],
    ['another code and no output', ran(1, null), ran(0, 'ok')],
    ['another output', ran(0, 'first'), ran(0, 'second')],
    ['lines above and below', ran(0, 'ok'), ran(0, 'Started\nok\nEnded'), 'gemini'],
    ['a part of a line', ran(0, 'ok'), ran(0, 'not ok')],
    ['an empty output and a line', ran(0, ''), ran(0, 'ok')],
  ])('%s', (_, one, other, ...same) => {
    for (const [name, isSame] of Object.entries(rules)) {
      expect([name, isSame(one, other)]).toEqual([name, same.includes(name)]);
      expect([name, isSame(other, one)]).toEqual([name, same.includes(name)]);
    }
  });

  test.each([...Object.entries(rules)])('reconcile asks the rule of %s in both directions', (name, isSame) => {
    const verdict = name === 'gemini' ? 'same' : 'new';
    const longer = command({ output: 'Started\nok' });
    const reports = new Deeds(isSame);
    reports.add(unnamed(), 'turn');
    expect(reconcile({ deeds: reports }, read(longer))).toBe(verdict);
    const calls = new Deeds(isSame);
    calls.add(longer, 'turn');
    expect(reconcile({ deeds: calls }, reported(unnamed()))).toBe(verdict);
    const news = { ...NO_TRANSCRIPT, isSame };
    const fresh = freshReports([{ record: unnamed(), payloads: [] }], {
      ...{ steps: [[longer]], hasRead: true, isCutOff: false, news },
    });
    expect(fresh.length).toBe(verdict === 'same' ? 0 : 1);
  });
});

describe('a prompt that a hook reports', () => {
  const last: LastPrompt = { words: 'Add retry', id: null, at: 1000, head: 'head', latest: 'r5' };
  const now = { at: 1004, head: 'head', latest: 'r5' };
  const prompt = { words: 'Add retry', id: null };
  test.each<[string, Stored, Omit<Extract<Event, { from: 'hook'; kind: 'prompt' }>, 'kind' | 'from'>, Verdict]>([
    ['none is stored', { lastPrompt: null }, { prompt, now }, 'new'],
    ['the last one at once', { lastPrompt: last }, { prompt, now }, 'same'],
    ['the last one later', { lastPrompt: last }, { prompt, now: { ...now, at: 1006 } }, 'new'],
    ['the last one after a step', { lastPrompt: last }, { prompt, now: { ...now, head: 'next' } }, 'new'],
    ['the last one after a record', { lastPrompt: last }, { prompt, now: { ...now, latest: 'r6' } }, 'new'],
    ['the last one, cut off since', { lastPrompt: last }, { prompt, now: { ...now, isCut: true } }, 'new'],
    ['other words', { lastPrompt: last }, { prompt: { words: 'Add a log', id: null }, now }, 'new'],
    ['its id, much later', { lastPrompt: { ...last, id: 'p1' } }, { prompt: { ...prompt, id: 'p1' } }, 'same'],
    ['another id', { lastPrompt: { ...last, id: 'p1' } }, { prompt: { ...prompt, id: 'p2' }, now }, 'new'],
    ['one that waits', { missedPrompts: [{ ...prompt, isLatest: true }] }, { prompt }, 'same'],
    ['one that waits before others', { missedPrompts: [{ ...prompt, isLatest: false }] }, { prompt }, 'new'],
  ])('%s', (_, stored, event, verdict) => {
    expect(reconcile(stored, { kind: 'prompt', from: 'hook', ...event })).toBe(verdict);
  });
});

describe('the words of a transcript', () => {
  const prompt = (words: string, at: number): Event => ({ kind: 'prompt', from: 'transcript', words, at });

  test('a prompt that a hook has recorded is the same, once; and so is all up to the last move after it', () => {
    const stored = { words: new Words([' Add retry ', 'Go'], 1000) };
    const move = (at: number): Event => ({ kind: 'move', from: 'transcript', at });
    expect(reconcile(stored, move(900))).toBe('new');
    expect(reconcile(stored, prompt('Add retry', 2000))).toBe('same');
    expect(reconcile(stored, prompt('Add retry', 2000))).toBe('new');
    expect([reconcile(stored, move(1000)), reconcile(stored, prompt('Other', 1000))]).toEqual(['same', 'same']);
    expect(reconcile(stored, move(1001))).toBe('new');
  });

  test('a prompt behind the end of a session is the same as often as it comes', () => {
    const stored = { words: new Words(['Thanks'], 0, ['Thanks']) };
    const rest: Event = { kind: 'prompt', from: 'rest', words: 'Thanks' };
    expect([reconcile(stored, rest), reconcile(stored, rest)]).toEqual(['same', 'same']);
    expect(reconcile(stored, { ...rest, words: 'Now the log' })).toBe('new');
  });

  test('a prompt within a turn is the same if a hook has recorded it in that turn', () => {
    const stored = { turnWords: new Words(['Use tabs']) };
    expect(reconcile(stored, { kind: 'cut-in', from: 'transcript', words: 'Use tabs' })).toBe('same');
    expect(reconcile(stored, { kind: 'cut-in', from: 'transcript', words: 'Use blanks' })).toBe('new');
  });
});

describe('a question of a tool', () => {
  const note = (role: string, content: string, of_call?: string): StoredRecord =>
    ({ ...command(), kind: 'note', role, content, ...(of_call && { of_call }) }) as unknown as StoredRecord;
  const asked = note('question', 'Question for user: Which?', 'c1');
  const answered = note('response', 'User response: Full', 'c1');
  const question = (call: string | null, answer: string | null): Event => ({
    kind: 'question',
    from: 'hook',
    question: { asked: 'Which?', call, answer },
  });
  test.each<[string, StoredRecord[], Event, Verdict]>([
    ['nothing is noted', [], question('c1', null), 'new'],
    ['it is noted', [asked], question('c1', null), 'same'],
    ['it is noted, and not its answer', [asked], question('c1', 'Full'), 'completes'],
    ['its answer is noted', [answered, asked], question('c1', 'Full'), 'same'],
    ['that of another call is noted', [asked], question('c2', null), 'new'],
    ['it is noted without its call', [note('question', 'Question for user: Which?')], question('c1', null), 'same'],
  ])('%s', (_, latest, event, verdict) => {
    expect(reconcile({ notes: new Notes(() => latest) }, event)).toBe(verdict);
  });

  test('a question of a transcript is known by its call', () => {
    const stored = { notes: new Notes(() => [asked]) };
    const event = (call: string): Event => ({ ...question(call, null), from: 'transcript' }) as Event;
    expect([reconcile(stored, event('c1')), reconcile(stored, event('c2'))]).toEqual(['same', 'new']);
  });

  test('a note without its call is the same as one question of a transcript', () => {
    const stored = { notes: new Notes(() => [note('question', 'Question for user: Which?')]) };
    const event = (call: string): Event => ({ ...question(call, null), from: 'transcript' }) as Event;
    expect([reconcile(stored, event('c1')), reconcile(stored, event('c2'))]).toEqual(['same', 'new']);
  });
});

test('the end of a turn that was noted just before is the same', () => {
  const before = { ...command(), kind: 'note', missed: 'turn_end', content: 'Agent: Done.' } as unknown as StoredRecord;
  const end = (note: object): Event => ({ kind: 'end', from: 'hook', note });
  expect(reconcile({ before }, end({ missed: 'turn_end', content: 'Agent: Done.' }))).toBe('same');
  expect(reconcile({ before }, end({ missed: 'turn_end', content: 'Agent: More.' }))).toBe('new');
  expect(reconcile({ before: undefined }, end({ missed: 'turn_end', content: 'Agent: Done.' }))).toBe('new');
});

test('a unique call is found in many earlier steps, however late its report comes', () => {
  const late = { record: hooks({ at: 100_000 }), payloads: [] };
  const between = Array.from({ length: 20 }, () => [hooks({ tool_call_id: 'toolu_01Another00000000' })]);
  const known = { hasRead: true, isCutOff: false, news: NO_TRANSCRIPT };
  const steps = (last: StoredRecord): StoredRecord[][] => [...between, [last]];
  expect(freshReports([late], { ...known, steps: steps(command()) })).toEqual([]);
  expect(freshReports([late], { ...known, steps: steps(command({ tool_call_id: 'call_1' })) })).toEqual([late]);
});

test('of reports in any order and number, and flushed up to any of them, each event is kept once', () => {
  const report = fc.constantFrom(
    ...[0, 1, 2].map((call) => (): StoredRecord => hooks({ tool_call_id: `${CALL}${call}` })),
    ...[0, 1].map((second) => (): StoredRecord => unnamed({ told_at: `1970-01-01T00:16:4${second}Z` })),
  );
  fc.assert(
    fc.property(fc.array(report, { maxLength: 12 }), fc.nat(12), (makers, flushed) => {
      const reports = makers.map((make) => ({ record: make(), payloads: [] }));
      const first = distinctReports(reports.slice(0, flushed));
      const rest = freshReports(reports.slice(flushed), {
        ...{ hasRead: false, isCutOff: false, news: NO_TRANSCRIPT },
        steps: first.length === 0 ? [] : [first.map(({ record }) => record)],
      });
      const keys = [...first, ...rest].map(({ record }) => `${record['tool_call_id']} ${record['told_at']}`);
      expect(keys).toEqual([...new Set(keys)]);
      expect(new Set(keys).size).toBe(
        new Set(reports.map(({ record }) => `${record['tool_call_id']} ${record['told_at']}`)).size,
      );
    }),
  );
});
