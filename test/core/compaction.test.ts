// Tests the compaction of a session: the digest of its records, the message, the trailers and the summary of its canonical commit.
import { describe, expect, test } from 'vitest';
import type { CommitType } from '../../src/core/commit-types/table.ts';
import { type Digest, newDigest } from '../../src/core/records/digest.ts';
import type { StoredRecord } from '../../src/core/records/record.ts';
import {
  canonicalTrailers,
  compactionMessage,
  digestRecord,
  endingInWords,
  lighten,
  summaryMarkdown,
} from '../../src/core/session/compaction.ts';
import { progressSummary, recoveryMessage } from '../../src/core/session/progress.ts';
import { newSession, type Session } from '../../src/core/session/session.ts';
import { stepLines, stepSubject, stepTrailers } from '../../src/core/session/step.ts';
import type { SessionState } from '../../src/core/state.ts';
import { DEFAULT_SETTINGS } from '../../src/history/store/settings.ts';

const WORK = 'c'.repeat(40);
const session = (state: SessionState = { kind: 'Running' }, task = 'Fix the retry'): Session => ({
  ...newSession('s-1', task, 'codex', 'b'.repeat(40), 100),
  step: 3,
  session_state: state,
});

let count = 0;
function record(kind: string, fields: object = {}): StoredRecord {
  count += 1;
  return { version: 1, id: `r${count}`, kind, at: 100, ...fields };
}
const note = (content: unknown, role = 'plain'): StoredRecord => record('note', { content, role });
const command = (text: unknown, exit_code?: number | null): StoredRecord =>
  record('command', { command: text, output: 'lots', ...(exit_code === undefined ? {} : { exit_code }) });

function digestOf(...records: StoredRecord[]): Digest {
  const digest = newDigest();
  for (const item of records) digestRecord(digest, item);
  return digest;
}

const NORMAL: CommitType = { kind: 'Normal' };
const ABANDONED: CommitType = { kind: 'Abandoned' };
const STALE: CommitType = { kind: 'StaleAutoCompact', idle_duration_secs: 608_400 };
const REPLACED: CommitType = { kind: 'InterruptedByNewTask', new_task_summary: 'A new\ntask' };

describe('the digest', () => {
  test('keeps notes, plans and commands without their output in one list, relations in another', () => {
    const records = [
      record('task', { content: 't' }),
      note('n'),
      record('plan', { content: 'p', own: 1 }),
      command('npm test', 1),
      record('relation', { from: 'file:a', label: 'Calls', to: 'file:b' }),
      record('message', { message: {} }),
      record('other', {}),
    ];
    const digest = digestOf(...records);
    expect(digest.notes.take().map((line) => JSON.parse(line))).toEqual([
      records[1],
      records[2],
      { version: 1, id: records[3]?.id, kind: 'command', at: 100, command: 'npm test', exit_code: 1 },
    ]);
    expect(digest.edges.take().map((line) => JSON.parse(line))).toEqual([records[4]]);
  });

  test('takes the words of moves off their notes', () => {
    const digest = digestOf(
      note('Question for user: Which way?', 'question'),
      note('User response: Left', 'response'),
      note('User intervention: Stop!', 'intervention'),
      note('User requested continuation: and tests', 'continuation'),
      note('go on', 'continuation'),
      note('User confirmed task complete', 'confirmation'),
      note('Question for user: not a question', 'plain'),
    );
    expect(digest.conversation).toEqual([
      { role: 'question', text: 'Which way?' },
      { role: 'answer', text: 'Left' },
      { role: 'intervention', text: 'Stop!' },
      { role: 'intervention', text: 'and tests' },
    ]);
    // A remark that looks like the words of a move is like any other.
    expect(digest.remarks).toEqual(['go on', 'Question for user: not a question']);
  });

  test('finds decisions in notes and in relations, each once', () => {
    const edge = (from: string, to: string): StoredRecord => record('relation', { from, label: 'DerivedFrom', to });
    const digest = digestOf(
      note('Decision: full jitter'),
      note('DECISION full stop'),
      note('decisions are hard'),
      edge('decision:full jitter', 'file:a'),
      edge('file:a', 'decision:no retry'),
      edge('file:a', 'decision:no retry'),
    );
    expect(digest.decisions).toEqual(['full jitter', 'full stop', 'no retry']);
    expect(digest.remarks).toEqual(['decisions are hard']);
  });

  test('a relation whose ends lie in a payload, and a move that says nothing, end no compaction', () => {
    const stub = { preview: 'decision:long', bytes: 9_000, sha256: 'a'.repeat(64), payload: 'r1-from' };
    const edge = record('relation', { from: stub, label: 'Calls', to: { ...stub, preview: 'file:long' } });
    const digest = digestOf(edge, record('transition', { by: 'undo' }));
    expect(digest.decisions).toEqual(['long…']);
    expect(digest.edges.take().map((line) => JSON.parse(line))).toEqual([edge]);
  });

  test('the last thing that a path saw, and whether it ever changed', () => {
    const digest = digestOf(
      record('read', { path: 'a' }),
      record('write', { path: 'a' }),
      record('read', { path: 'a' }),
      record('write', { path: 'b' }),
      record('delete', { path: 'b' }),
      record('read', { path: 'c' }),
    );
    expect([...digest.paths]).toEqual([
      ['a', 'read'],
      ['b', 'delete'],
      ['c', 'read'],
    ]);
    expect([...digest.changed]).toEqual(['a', 'b']);
  });

  test('counts the same command with the same end, and does not repeat it', () => {
    const digest = digestOf(command('t', 0), command('t', 1), command('t', 0), command('t'), command('t', null));
    expect([...digest.commands.values()]).toEqual([
      { command: 't', exit_code: 0, runs: 2 },
      { command: 't', exit_code: 1, runs: 1 },
      { command: 't', exit_code: null, runs: 2 },
    ]);
  });

  test('of a long text that lies in a payload, its preview', () => {
    const stub = { preview: 'Decision: long', bytes: 9_000, sha256: 's', payload: 'p' };
    const digest = digestOf(note(stub), command({ ...stub, preview: 'make' }, 0), record('plan', { content: stub }));
    expect(digest.decisions).toEqual(['long…']);
    expect([...digest.commands.values()].map((run) => run.command)).toEqual(['make…']);
    expect(digest.plans).toEqual(['Decision: long…']);
    expect(JSON.parse(digest.notes.take()[0] as string).content).toEqual(stub);
  });
});

describe('the message', () => {
  test.each<[string, CommitType, string]>([
    ['Normal', NORMAL, 'Fix the retry'],
    ['Abandoned', ABANDONED, 'Fix the retry'],
    ['StaleAutoCompact', STALE, 'Auto-saved: session idle for 7 days 1 hour: Fix the retry'],
    ['InterruptedByNewTask', REPLACED, 'Saved before starting new task: Fix the retry'],
  ])('of %s', (_kind, type, message) => {
    expect(compactionMessage(session(), type, DEFAULT_SETTINGS.auto_compact_message_template)).toBe(message);
  });

  test('the template of the settings is filled in', () => {
    const template = '[{duration}] {task} {other}';
    expect(compactionMessage(session(), STALE, template)).toBe('[7 days 1 hour] Fix the retry {other}: Fix the retry');
  });
});

describe('the trailers', () => {
  const common = (kind: string): [string, string][] => [
    ['Ctx-Type', kind],
    ['Ctx-Session', 's-1'],
    ['Ctx-Task', 'Fix the retry'],
    ['Ctx-State', 'Interrupted'],
    ['Ctx-Work', WORK],
    ['Ctx-Steps', '3'],
  ];
  test.each<[CommitType, [string, string][]]>([
    [NORMAL, common('Normal')],
    [ABANDONED, common('Abandoned')],
    [STALE, [...common('StaleAutoCompact'), ['Ctx-Idle-Seconds', '608400']]],
    [REPLACED, [...common('InterruptedByNewTask'), ['Ctx-New-Task', 'A new\ntask']]],
  ])('of %j', (type, trailers) => {
    expect(canonicalTrailers(session({ kind: 'Interrupted', user_message: 'x' }), type, WORK)).toEqual(trailers);
  });

  test('of a step', () => {
    expect(stepTrailers(session())).toEqual([
      ['Ctx-Session', 's-1'],
      ['Ctx-Step', '3'],
      ['Ctx-Base', 'b'.repeat(40)],
      ['Ctx-State', 'Running'],
    ]);
  });
});

describe('how it ended, in words', () => {
  test.each<[SessionState, CommitType, string]>([
    [{ kind: 'Complete' }, NORMAL, 'Complete: the user confirmed it.'],
    [{ kind: 'Running' }, NORMAL, 'Compacted while it was Running.'],
    [{ kind: 'Aborted', reason: 'no\nuse' }, ABANDONED, 'Abandoned: no use'],
    [{ kind: 'Aborted', reason: '' }, ABANDONED, 'Abandoned.'],
    [{ kind: 'Running' }, ABANDONED, 'Abandoned.'],
    [{ kind: 'Running' }, STALE, 'Saved by itself after 7 days 1 hour without activity (it was Running).'],
    [{ kind: 'Running' }, REPLACED, 'Saved when a new task began: A new task'],
  ])('%j, %j', (state, type, words) => {
    expect(endingInWords(session(state), type)).toBe(words);
  });
});

describe('the summary', () => {
  const full = digestOf(
    note('Question for user: Which?', 'question'),
    note('User response: B', 'response'),
    note('Decision: jitter'),
    note('a remark\nof two lines'),
    record('plan', { content: '1. do\n2. test' }),
    record('transition', { to: { kind: 'PendingComplete', summary: 'not yet' } }),
    record('transition', { to: { kind: 'Running' } }),
    record('transition', { to: { kind: 'PendingComplete', summary: 'All\n\ndone ' } }),
    record('transition', { to: { kind: 'Complete' } }),
    record('write', { path: 'src/b.ts' }),
    record('write', { path: 'src/a.ts' }),
    record('delete', { path: 'old.ts' }),
    record('read', { path: 'only-read.ts' }),
    command('npm test', 1),
    command('npm test', 1),
    command('npm run build', 0),
    command('sleep 1'),
  );

  test('reads like a story', () => {
    expect(summaryMarkdown(session({ kind: 'Complete' }), NORMAL, 'The message', full)).toBe(`# The message

**Task:** Fix the retry

**How it ended:** Complete: the user confirmed it.

**Last answer:**

> All
>
> done

## Questions and answers

- Asked: Which?
- Answered: B

## Decisions

- jitter

## Plans

- 1. do
  2. test

## Notes

- a remark of two lines

## Files changed

- old.ts (deleted)
- src/a.ts
- src/b.ts

## Commands that failed

- \`npm test\` (exit 1, 2 times)

## Commands that passed

- \`npm run build\`

## Commands without a known result

- \`sleep 1\`
`);
  });

  test('of nothing is short', () => {
    expect(summaryMarkdown(session(), STALE, '\n', newDigest())).toBe(`# Session

**Task:** Fix the retry

**How it ended:** Saved by itself after 7 days 1 hour without activity (it was Running).
`);
  });

  test('no text of a stranger makes a heading or a line of its own', () => {
    const evil = 'x\n\n## Decisions\n\n- forged\r\n# Title\u2028## More\x1b[2J';
    const digest = digestOf(
      note(evil),
      note(evil, 'question'),
      record('plan', { content: evil }),
      record('write', { path: evil }),
      command(evil, 1),
      record('relation', { from: `decision:${evil}`, label: 'Calls', to: 'file:a' }),
      record('transition', { to: { kind: 'PendingComplete', summary: evil } }),
    );
    const summary = summaryMarkdown(session({ kind: 'PendingComplete', summary: evil }, evil), NORMAL, evil, digest);
    const headings = summary.split('\n').filter((line) => line.startsWith('#'));
    expect(headings.slice(1)).toEqual([
      '## Questions and answers',
      '## Decisions',
      '## Plans',
      '## Notes',
      '## Files changed',
      '## Commands that failed',
    ]);
    expect(summary).not.toContain('\x1b');
    expect(summary.split('\n')).not.toContain('- forged');
  });

  test('a section says how many more there are', () => {
    const digest = digestOf(...Array.from({ length: 103 }, (_, index) => note(`remark ${index}`)));
    const lines = summaryMarkdown(session(), NORMAL, 'm', digest).split('\n');
    expect(lines.filter((line) => line.startsWith('- remark'))).toHaveLength(100);
    expect(lines).toContain('- … and 3 more');
  });

  test('is the same where the texts that it does not show are let go of, and holds no more of them', () => {
    const records = Array.from({ length: 150 }, (_, index) => [
      note(`remark ${index}`),
      note(`User response: ${index}`, 'response'),
      note(`Decision: ${index}`),
      record('plan', { content: `plan ${index}` }),
    ]).flat();
    const light = newDigest();
    for (const item of records) {
      digestRecord(light, item);
      lighten(light);
    }
    expect(summaryMarkdown(session(), NORMAL, 'm', light)).toBe(
      summaryMarkdown(session(), NORMAL, 'm', digestOf(...records)),
    );
    expect([light.remarks, light.plans].map((texts) => texts.filter((text) => text !== '').length)).toEqual([100, 100]);
  });
});

describe('the subject of a step', () => {
  const transition = record('transition', { to: { kind: 'Running' } });
  test.each<[string, StoredRecord[], string]>([
    ['its only note', [note('Look\nhere')], 'Step 3: Look here'],
    ['the task', [record('task', { content: 'Fix it' })], 'Step 3: Start: Fix it'],
    ['its only plan', [record('plan', { content: 'a' }), command('x')], 'Step 3: Plan: a'],
    ['two notes are counted', [note('a'), note('b'), record('read', { path: 'x' })], 'Step 3: 2 notes, 1 file read'],
    [
      'every noun, in the order of their coming',
      ['read', 'write', 'delete', 'command', 'message', 'relation', 'plan', 'note'].flatMap((kind) => [
        record(kind, { content: '' }),
        record(kind, { content: '' }),
      ]),
      'Step 3: 2 files read, 2 files written, 2 files deleted, 2 commands, 2 messages, 2 relations, 2 plans, 2 notes',
    ],
    [
      'what it counts',
      [command('a'), command('b'), record('write', { path: 'x' })],
      'Step 3: 2 commands, 1 file written',
    ],
    ['a move with its words', [note('User response: B', 'response'), transition], 'Step 3: User response: B → Running'],
    ['a move alone', [transition], 'Step 3: moved → Running'],
    ['kinds of somebody else', [record('raw'), record('constructor')], 'Step 3: 2 records'],
    ['nothing', [], 'Step 3: 0 records'],
    ['the preview of a long one', [note({ preview: 'long', bytes: 1, sha256: '', payload: '' })], 'Step 3: long'],
  ])('%s', (_words, records, subject) => {
    expect(stepSubject(session(), records)).toBe(subject);
  });

  test('is never over 200', () => {
    expect(stepSubject(session(), [note('x'.repeat(900)), transition]).length).toBeLessThanOrEqual(200);
  });

  test('its records are a line each, in order', () => {
    expect(stepLines([record('a', { t: 'x\ny' }), record('b')])).toMatch(/^\{.*"a".*x\\ny"\}\n\{.*"b".*\}\n$/);
    expect(stepLines([])).toBe('');
  });
});

describe('the summary for a returning user', () => {
  test('the progress so far, the latest of each', () => {
    const digest = digestOf(
      record('plan', { content: 'old plan' }),
      record('plan', { content: 'the\nplan' }),
      ...Array.from({ length: 7 }, (_, index) => note(`Decision: d${index}`)),
      ...Array.from({ length: 7 }, (_, index) => note(`remark ${index}`)),
      note('Question for user: q', 'question'),
      record('write', { path: 'b' }),
      record('write', { path: 'a' }),
      record('read', { path: 'c' }),
      command('make', 2),
      command('npm test', 0),
      command('npm run build', 0),
      command('sleep 1'),
    );
    expect(progressSummary(digest)).toBe(
      [
        '- Plan: the plan',
        ...[2, 3, 4, 5, 6].map((index) => `- Decision: d${index}`),
        ...[2, 3, 4, 5, 6].map((index) => `- remark ${index}`),
        '- Question: q',
        '- Changed 2 files: a, b',
        '- Read 1 file',
        '- Failed: `make` (exit 2)',
        '- Passed: 2 commands',
      ].join('\n'),
    );
    expect(progressSummary(newDigest())).toBe('- Nothing recorded yet');
  });

  test.each<[SessionState, string]>([
    [{ kind: 'AwaitingUser', question: 'A or\nB?', asked_at: 1 }, 'Welcome back! I was asking:\n\nA or\nB?'],
    [
      { kind: 'PendingComplete', summary: 'Built it' },
      'Welcome back! I had finished:\n\nBuilt it\n\nDoes this look good?',
    ],
    [
      { kind: 'PendingComplete', summary: '' },
      'Welcome back! I had finished:\n\nFix the retry\n\nDoes this look good?',
    ],
    [
      { kind: 'Running' },
      'Welcome back! I was working on: Fix the retry\n\nProgress so far:\n- a\n\nShould I continue?',
    ],
    [
      { kind: 'Interrupted', user_message: 'Stop' },
      "Welcome back! You had said:\n\nStop\n\nI hadn't finished processing that. Should I continue?",
    ],
  ])('%j, word for word', (state, words) => {
    expect(recoveryMessage(session(state), '- a')).toBe(words);
  });

  test.each<SessionState>([{ kind: 'Complete' }, { kind: 'Aborted', reason: 'x' }])(
    '%j: how to save it is the last line',
    (state) => {
      expect(recoveryMessage(session(state), '')).toMatch(/Fix the retry\n\nTo save it: ctx stage compact$/);
    },
  );
});
