// Tests the meaning of each payload of an agent's hook: a table over fixtures of the recorded shapes, and every recorded payload, if there are any, taken without an error.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/index.ts';
import type { Verdict } from '../../src/core/intake/reconcile.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Happening, HookEvent } from '../../src/core/session/hook-event.ts';
import { hookPlan } from '../../src/core/session/hook-plan.ts';
import type { SessionState } from '../../src/core/state.ts';
import { questionIn } from '../../src/language/questions/question.ts';
import { folder, fsck, git, json, NOON, run } from '../support/cli.ts';
import { CURSOR, GEMINI, OPENCODE, PI } from './support/hook-tables.ts';
import { askAlways } from './support/projects.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

const reader = (name: string): ((payload: JsonObject) => HookEvent | null) =>
  agentNamed(name)?.hooks?.read ?? expect.fail(`no hooks of ${name}`);

/** Describes an event in one line. */
function inWords(happened: Happening): string {
  if (happened.what === 'interrupt' && happened.cut)
    return `interrupt; ${inWords({ answer: null, ...happened.cut, what: 'tool' })}`;
  if (happened.what === 'prompt') {
    const id = happened.id === undefined ? '' : ` ${happened.id}`;
    return `prompt${id}${happened.takesNothing ? ' that takes nothing' : ''}: ${happened.text}`;
  }
  if (happened.what === 'question' && happened.call_id !== undefined)
    return `question of ${happened.call_id}: ${happened.text}`;
  if (happened.what !== 'tool') return Object.values(happened).join(': ');
  const records = happened.records.map(({ body, content }) => {
    const { kind, path, command, exit_code, output, duration_ms } = body as unknown as JsonObject;
    const kept = content === undefined ? '' : `, ${content.length} bytes`;
    if (kind !== 'command') return `${kind} ${path}${kept}`;
    return `run ${command} → ${exit_code}: ${JSON.stringify(output)}${duration_ms === undefined ? '' : ` (${duration_ms} ms)`}`;
  });
  const answer = happened.answer === null ? [] : [`answer ${happened.answer}`];
  const asked = happened.asked === undefined ? [] : [`asked ${happened.asked}`];
  return [`tool ${happened.call_id}`, ...records, ...asked, ...answer].join('; ');
}

/** Longest for a hundred processes, one after the other, in milliseconds. */
const RECORDED = 300_000;

/** Fields that make a payload one of its agent's. */
const IDENTITY = ['session_id', 'conversation_id', 'hook_event_name'];

const CLAUDE_CODE = {
  startup: 'start: startup',
  prompt: 'prompt p1: Add retry with backoff',
  'command asked for': 'nothing',
  command: 'tool toolu_1; run npm test → 0: "ok\\n1 warning" (31 ms)',
  'command in the background': 'tool toolu_2; run npm start → null: ""',
  'failed command': 'tool toolu_3; run npm run build → 3: "oops" (17 ms)',
  'stopped command': 'interrupt; tool toolu_4; run sleep 60 → null: "Interrupted"',
  'command that never ran': 'tool toolu_5',
  'file read': 'tool toolu_6; read /home/dev/acme-http/a.ts, 2 bytes',
  'part of a file read': 'tool toolu_7; read /home/dev/acme-http/a.ts',
  'file written': 'tool toolu_8; write /home/dev/acme-http/b.ts, 2 bytes',
  'file edited': 'tool toolu_9; write /home/dev/acme-http/b.ts, 2 bytes',
  'file edit that failed': 'tool toolu_10',
  'tool of a sub-agent': 'af5a9a8c: tool toolu_11; run ls → 0: "a"',
  'sub-agent come back': 'tool toolu_12',
  question: 'question of toolu_13: Which jitter?\n- Full: The whole range\n- Equal',
  'permission for the question': 'question of null: Which jitter?\n- Full: The whole range\n- Equal',
  answer: 'tool toolu_13; asked Which jitter?; answer Full',
  'answer refused': 'tool toolu_13; asked The agent asks a question.; answer ask later',
  plan: 'question of toolu_14: Shall I go on with this plan?\n\nFirst this, then that.',
  permission: 'question: May I use Write: /home/dev/acme-http/new.txt?',
  'permission for a page': 'question: May I use WebFetch: https://example.com/?',
  'notice of a permission': 'question: Claude needs your permission: true',
  'notice of idleness': 'nothing',
  'end of turn': 'turn_end: Retry is in.',
  'end of turn without words': 'turn_end: ',
  'failed turn': 'interrupt',
  'sub-agent begins': 'af5a9a8c: nothing',
  'sub-agent ends': 'af5a9a8c: nothing',
  'summing up ends': 'a849ca3a: nothing',
  'before a compaction': 'pause',
  'after a compaction': 'nothing',
  end: 'end',
  'event of a later version': 'nothing',
};

const CODEX = {
  startup: 'start: startup',
  prompt: 'prompt: Add retry',
  'command asked for': 'nothing',
  command: 'tool call_1_0; run npm test → null: "ok\\n"',
  patch: 'tool call_2_0; write src/retry.ts, 11 bytes; delete src/client.ts; write src/http.ts; delete old.ts',
  'sub-agent started': 'tool call_3',
  'prompt of a sub-agent': '01a2: prompt: look around',
  'tool of a sub-agent': '01a2: tool call_4_0; run ls → null: "a\\n"',
  'sub-agent ends': '01a2: nothing',
  permission: 'question: May I use Bash: rm -r build?',
  'permission for a patch': 'question: May I use apply_patch?',
  'end of turn': 'turn_end: Which jitter do you want?',
  interrupt: 'interrupt',
  'before a compaction': 'pause',
  'after a compaction': 'nothing',
  end: 'end',
};

describe.each([
  ['claude-code', CLAUDE_CODE],
  ['codex', CODEX],
  ['gemini', GEMINI],
  ['pi', PI],
  ['opencode', OPENCODE],
  ['cursor', CURSOR],
] as [string, Record<string, string>][])('%s', (name, expected) => {
  const read = reader(name);

  test('reads the event of each payload', () => {
    const cases = linesOf(join(root, 'fixtures', 'hooks', `${name}.jsonl`)).map((line) => {
      const { what, payload } = JSON.parse(line) as { what: string; payload: JsonObject };
      const event = read(payload);
      expect(event).toMatchObject({
        event: payload['hook_event_name'],
        agent_session: payload['conversation_id'] ?? payload['session_id'],
        transcript: name === 'gemini' && payload['source'] !== undefined ? null : payload['transcript_path'],
        cwd: '/home/dev/acme-http',
      });
      const { sub_agent, happened } = event as HookEvent;
      return [what, sub_agent === null ? inWords(happened) : `${sub_agent}: ${inWords(happened)}`];
    });
    expect(Object.fromEntries(cases)).toEqual(expected);
  });

  test('a payload that names no session or no event is somebody else’s', () => {
    for (const payload of [
      {},
      { session_id: 'a' },
      { hook_event_name: 'Stop' },
      { session_id: '', hook_event_name: 'Stop' },
      { session_id: 3, hook_event_name: 'Stop' },
      { session_id: 'a', hook_event_name: ['Stop'] },
      { agent_id: 'a', hook_event_name: 'stop', workspace_roots: [] },
    ])
      expect(read(payload)).toBeNull();
  });

  test('fields of another kind than expected are passed over, whatever the event', () => {
    const events = Object.keys(expected).length > 0 ? linesOf(join(root, 'fixtures', 'hooks', `${name}.jsonl`)) : [];
    const odd: unknown[] = [null, 7, [], {}, 'text', [[]], { nested: [null] }, true];
    for (const line of events) {
      const { payload } = JSON.parse(line) as { payload: JsonObject };
      for (const key of Object.keys(payload).filter((one) => !IDENTITY.includes(one)))
        for (const value of odd) expect(read({ ...payload, [key]: value } as JsonObject)).not.toBeNull();
    }
  });

  const recorded = join(root, '..', 'shared', 'payloads', `${name}.jsonl`);
  // A file of our own has our own shape: test/agents/hook-files.test.ts has the events of the recorded ones.
  test.skipIf(!existsSync(recorded) || name === 'pi' || name === 'opencode')(
    'every recorded payload is taken without an error',
    () => {
      const dir = folder('recorded-');
      git(dir, 'init', '-q');
      askAlways(dir);
      for (const line of linesOf(recorded)) {
        const { payload } = JSON.parse(line) as { payload: JsonObject };
        expect(read(payload)).not.toBeNull();
        const here = JSON.stringify({ ...payload, cwd: dir, transcript_path: join(dir, 'none.jsonl') });
        expect(run(['hook', name], { cwd: dir, now: NOON, input: here }), here).toMatchObject({ code: 0, stderr: '' });
      }
      expect(existsSync(join(dir, '.ctx', 'hook-errors.jsonl'))).toBe(false);
      expect(json(['log'], { cwd: dir })).toEqual([]);
      fsck(dir);
      expect(run(['fsck', '--full'], { cwd: dir })).toMatchObject({ code: 0 });
    },
    RECORDED,
  );
});

describe('what follows from an event', () => {
  const STATES: Record<string, SessionState> = {
    Running: { kind: 'Running' },
    AwaitingUser: { kind: 'AwaitingUser', question: 'Which?', asked_at: 1 },
    PendingComplete: { kind: 'PendingComplete', summary: 'Done.' },
    Interrupted: { kind: 'Interrupted', user_message: 'Stop' },
    Complete: { kind: 'Complete' },
    Aborted: { kind: 'Aborted', reason: 'x' },
  };
  const plan = (
    happened: Happening,
    kind: string,
    cutOff: string | null = null,
    ofTool = true,
    asking: string | null = null,
    noted: Verdict = 'new',
  ): string[] => {
    const state = STATES[kind] as SessionState;
    const asks = happened.what === 'turn_end' ? questionIn(happened.text ?? '') : null;
    const told = {
      isNew: true,
      agentSaid: () => 'First. ',
      askingCall: () => asking,
      noted: () => noted,
      isToolsQuestion: () => ofTool,
      standing: () => null,
      hasSpoken: () => cutOff !== null,
      isUntold: false,
    };
    const circumstances = { state, cutOff, lastPrompt: () => 'the last prompt', asks, ...told };
    return hookPlan(happened, circumstances).map((deed) => {
      if (deed.do === 'move')
        return `${deed.ofTool ? 'tool ' : ''}${deed.isNoted ? 'noted ' : ''}${deed.verb} ${deed.text}`.trim();
      if (deed.do === 'keep') return `keep ${deed.words}`;
      return deed.do === 'note' ? `note ${deed.content}` : deed.do;
    });
  };

  test.each([
    ['a tool', { what: 'tool', call_id: null, records: [], answer: null }, [[], ['respond'], ['reopen'], ['continue']]],
    [
      'another question',
      { what: 'question', text: 'Why?' },
      ['', 'respond', 'reopen', 'continue'].map((verb) => [...(verb ? [verb] : []), 'tool ask Why?']),
    ],
    [
      'the same question',
      { what: 'question', text: 'Which?' },
      [['tool ask Which?'], [], ['reopen', 'tool ask Which?'], ['continue', 'tool ask Which?']],
    ],
    [
      'a notice',
      { what: 'question', text: 'Claude needs you', isNotice: true },
      [['tool ask Claude needs you'], [], [], []],
    ],
    [
      'an end of turn',
      { what: 'turn_end', text: ' Done. ' },
      [['done Done.'], ['respond', 'done Done.'], [], ['continue', 'done Done.']],
    ],
    [
      'an end of turn that only asks for approval',
      { what: 'turn_end', text: 'Retry is in. Does this look good?' },
      [
        ['done Retry is in. Does this look good?'],
        ['respond', 'done Retry is in. Does this look good?'],
        ['reopen', 'done Retry is in. Does this look good?'],
        ['continue', 'done Retry is in. Does this look good?'],
      ],
    ],
    [
      'an end of turn that asks',
      { what: 'turn_end', text: 'Read it.\n\nWhich jitter do you want?' },
      [
        ['ask Which jitter do you want?'],
        ['respond', 'ask Which jitter do you want?'],
        ['reopen', 'ask Which jitter do you want?'],
        ['continue', 'ask Which jitter do you want?'],
      ],
    ],
    [
      'an interrupt',
      { what: 'interrupt' },
      [
        ['interrupt the last prompt'],
        ['respond', 'interrupt the last prompt'],
        ['reopen', 'interrupt the last prompt'],
        [],
      ],
    ],
    ['a pause', { what: 'pause' }, [[], [], [], []]],
    ['an end of the program', { what: 'end' }, [[], [], [], []]],
  ] as [string, Happening, string[][]][])('%s', (_, happened, expected) => {
    const kinds = ['Running', 'AwaitingUser', 'PendingComplete', 'Interrupted'];
    expect(kinds.map((kind) => plan(happened, kind))).toEqual(expected);
    expect(plan(happened, 'Aborted')).toEqual([]);
    if (happened.what !== 'turn_end' && happened.what !== 'end') expect(plan(happened, 'Complete')).toEqual([]);
  });

  test('a prompt that was cut off is known from the transcript', () => {
    expect(plan({ what: 'pause' }, 'Running', 'cut off')).toEqual(['interrupt cut off']);
    expect(plan({ what: 'end' }, 'PendingComplete', 'cut off')).toEqual(['reopen', 'interrupt cut off']);
    expect(plan({ what: 'end' }, 'AwaitingUser', 'cut off')).toEqual(['respond', 'interrupt cut off']);
    expect(plan({ what: 'end' }, 'Aborted', 'cut off')).toEqual([]);
    expect(plan({ what: 'interrupt' }, 'Running', 'cut off')).toEqual(['interrupt cut off']);
    expect(plan({ what: 'turn_end', text: null }, 'Running', 'cut off')).toEqual(['interrupt cut off']);
  });

  test.each([
    ['Half', 'Half'],
    ['First.\nHalf of  the ne xt', 'Half of  the ne xt'],
    ['Fir st.', null],
  ])('keeps the part of an interrupted answer that no transcript has: %j', (text, kept) => {
    const keeps = kept === null ? [] : [`keep ${kept}`];
    expect(plan({ what: 'turn_end', text }, 'Running', 'cut off')).toEqual([...keeps, 'interrupt cut off']);
  });

  test('an interruption reported twice counts once, and one of another prompt counts again', () => {
    expect(plan({ what: 'interrupt' }, 'Interrupted')).toEqual([]);
    for (const happened of [{ what: 'turn_end', text: null }, { what: 'end' }, { what: 'interrupt' }] as const)
      expect(plan(happened, 'Interrupted', 'Go on')).toEqual(['continue', 'interrupt Go on']);
  });

  test('a turn that answers no question leaves the one open that an earlier turn has ended with', () => {
    const ends = (text: string | null): string[] => plan({ what: 'turn_end', text }, 'AwaitingUser', null, false);
    expect(ends('It is a random delay.')).toEqual([]);
    expect(ends(null)).toEqual([]);
    expect(ends('It is a random delay.\n\nWhich jitter do you want?')).toEqual([
      'respond',
      'ask Which jitter do you want?',
    ]);
  });

  describe('what the user has answered to a tool', () => {
    const told: Happening = { what: 'tool', call_id: 'call_1', records: [], asked: 'Which?', answer: 'Full' };
    const ANSWER = 'note User response: Full';
    const BOTH = ['note Question for user: Which?', ANSWER];
    const kinds = ['Running', 'AwaitingUser', 'PendingComplete', 'Interrupted', 'Complete', 'Aborted'];
    const plans = (happened: Happening, asking: string | null, noted: Verdict): string[][] =>
      kinds.map((kind) => plan(happened, kind, null, true, asking, noted));

    test.each<[Verdict, string[][]]>([
      ['new', [BOTH, ['respond Full'], [...BOTH, 'reopen'], [...BOTH, 'continue'], BOTH, BOTH]],
      ['completes', [[ANSWER], ['respond Full'], [ANSWER, 'reopen'], [ANSWER, 'continue'], [ANSWER], [ANSWER]]],
      ['same', [[], ['respond'], [], [], [], []]],
    ])('where notes have of it: %s', (noted, expected) => {
      expect(plans(told, null, noted)).toEqual(expected);
    });

    test('is known by its call, and by its words where that is not named', () => {
      const other = { ...told, asked: 'Why?' };
      const BOTH_OF_OTHER = ['note Question for user: Why?', ANSWER];
      expect(plan(other, 'AwaitingUser', null, true, 'call_1')).toEqual(['respond Full']);
      // The other one waits on.
      expect(plan(other, 'AwaitingUser', null, true, 'call_2')).toEqual(BOTH_OF_OTHER);
      expect(plan(other, 'AwaitingUser', null, true, null)).toEqual([...BOTH_OF_OTHER, 'respond']);
      expect(plan({ ...told, call_id: null }, 'AwaitingUser', null, true, null)).toEqual(['respond Full']);
    });

    test('a refusal ends the question without an answer', () => {
      const refused = { ...told, answer: null };
      expect(plans(refused, 'call_1', 'completes').slice(0, 3)).toEqual([[], ['respond'], ['reopen']]);
    });

    test('no other tool answers it', () => {
      const other: Happening = { what: 'tool', call_id: 'call_2', records: [], answer: null };
      expect(plan(other, 'AwaitingUser', null, true, 'call_1')).toEqual([]);
      expect(plan(other, 'AwaitingUser', null, true, null)).toEqual(['respond']);
    });

    test('a question that a note has is kept once', () => {
      const asks = { what: 'question', text: 'Why?', call_id: 'call_1' } as const;
      expect(plan(asks, 'Running', null, true, null, 'same')).toEqual(['tool noted ask Why?']);
      for (const noted of ['new', 'completes'] as const)
        expect(plan(asks, 'Running', null, true, null, noted)).toEqual(['tool ask Why?']);
    });
  });

  test('a session that was confirmed ends with its turn, the agent’s answer in it', () => {
    expect(plan({ what: 'turn_end', text: ' You are welcome. ' }, 'Complete')).toEqual([
      'note You are welcome.',
      'end',
    ]);
    expect(plan({ what: 'turn_end', text: null }, 'Complete')).toEqual(['end']);
    expect(plan({ what: 'end' }, 'Complete')).toEqual(['end']);
  });
});
