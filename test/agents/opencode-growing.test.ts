// An export of opencode that is ingested while its session grows: the same as one ingest of the whole.
import { describe, expect, test } from 'vitest';
import { exportLines } from '../../src/agents/opencode/unfold.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { fsck, type Project } from '../support/store.ts';
import { grown, inClear } from './support/grown.ts';

const AT = 1_768_000_000_000;
const part = (message: number, index: number, fields: JsonObject): JsonObject => ({
  ...{ id: `prt_${message}${index}`, sessionID: 'ses_1', messageID: `msg_0${message}` },
  ...fields,
});
const FINISH = { type: 'step-finish', reason: 'stop', cost: 0, tokens: { input: 1, output: 1 } };

function message(
  number: number,
  role: string,
  text: string,
  info: JsonObject = {},
  parts: JsonObject[] = [],
): JsonObject {
  const time = { created: AT + number * 1000 };
  const made = role === 'assistant' ? { parentID: `msg_0${number - 1}`, modelID: 'm', providerID: 'p' } : {};
  return {
    info: { id: `msg_0${number}`, sessionID: 'ses_1', role, time, ...made, ...info },
    parts: [part(number, 0, { type: 'text', text }), ...parts.map((fields, index) => part(number, index + 1, fields))],
  };
}

/** Returns the lines of a complete message. */
const doneAt = (number: number): JsonObject => ({
  finish: 'stop',
  time: { created: AT + number * 1000, completed: AT + number * 1000 + 500 },
});

const exported = (messages: JsonObject[], info: JsonObject = {}): string =>
  JSON.stringify({
    info: {
      ...{ id: 'ses_1', projectID: 'p', directory: '/home/dev/acme', title: 'T', version: '1.18.33' },
      ...{ time: { created: AT, updated: AT + messages.length } },
      ...info,
    },
    messages,
  });

/** The messages that a session has, as they were first told. */
function messagesIn({ open }: Project, head: string): { id: string; metadata: { parent_id: unknown } }[] {
  const records = [...readSteps(open().objects, head, true)].flatMap(
    ({ records }) => records as { message?: unknown }[],
  );
  return records.flatMap(({ message }) => (message ? [message as never] : []));
}

const of = (...texts: string[]) => grown(texts, 'export.json');

describe('the last words come first, and what ends the message later', () => {
  const prompt = message(1, 'user', 'Paint the door');
  const begun = (info: JsonObject, ...parts: JsonObject[]): string =>
    exported([prompt, message(2, 'assistant', 'It is painted.', info, parts)]);
  const aborted = { error: { name: 'MessageAbortedError', data: { message: 'aborted' } } };

  test.each([
    ['its end, with a part', [begun({}), begun(doneAt(2), FINISH)]],
    ['its end alone', [begun({}), begun({}, FINISH), begun(doneAt(2), FINISH)]],
    ['that it was stopped', [begun({}), begun(aborted)]],
  ])('%s', (_name, texts) => {
    const once = of(texts.at(-1) ?? '');
    expect(once.state).not.toEqual({ kind: 'Running' });
    const steps = of(...texts, texts.at(-1) ?? '');
    expect({ ...steps, project: null }).toEqual({ ...once, project: null });
    expect(fsck(steps.project.store)).toBe('');
  });

  test('more of the message after the next prompt ends no turn', () => {
    const next = message(3, 'user', 'And the fence');
    const told = (info: JsonObject): string =>
      exported([prompt, message(2, 'assistant', 'It is painted.', info), next]);
    const steps = of(told(doneAt(2)), told({ ...doneAt(2), cost: 3 }));
    expect(steps.state).toEqual({ kind: 'Running' });
  });
});

test('the agent and the model of the last prompt do not change the line of the session', () => {
  const lineOf = (info: JsonObject): string | undefined =>
    [...exportLines({ fields: { info: { id: 'ses_1', title: 'T', ...info } }, messages: () => [] })][0];
  expect(lineOf({ agent: 'build', model: { id: 'm' } })).toBe(lineOf({}));
  expect(lineOf({ parentID: 'ses_0', agent: 'general' })).toContain('general');
});

describe('what the user takes back', () => {
  const one = [message(1, 'user', 'One'), message(2, 'assistant', 'Did one', doneAt(2))];
  const two = [message(3, 'user', 'Two'), message(4, 'assistant', 'Did two', doneAt(4))];
  const three = [message(5, 'user', 'Three'), message(6, 'assistant', 'Did three', doneAt(6))];
  const FURTHER = { revert: { messageID: 'msg_01' } };
  const TAKEN = { revert: { messageID: 'msg_03' } };
  const start = exported([...one, ...two]);
  const undone = exported([...one, ...two], TAKEN);
  const on = exported([...one, ...two, ...three]);
  const left = exported([...one, ...three]);
  const viewOf = ({ messages, project }: ReturnType<typeof of>): string[] => {
    expect(fsck(project.store)).toBe('');
    return messages.flatMap((each) => {
      const { id, isVisible } = each as { id: string; isVisible: boolean };
      return isVisible ? [id] : [];
    });
  };
  const ALL = ['msg_01', 'msg_02', 'msg_03', 'msg_04'];
  const HALF = ALL.slice(0, 2);
  const THREE = ['msg_05', 'msg_06'];

  test.each([
    ['is out of view', [start, undone], HALF],
    ['comes back', [start, undone, start], ALL],
    ['comes back before the session goes on', [start, undone, on], [...ALL, ...THREE]],
    ['comes back, and the session goes on', [start, undone, start, on], [...ALL, ...THREE]],
    ['is taken back once more', [start, undone, start, undone], HALF],
    [
      'is taken back once more, with what came since',
      [start, undone, on, exported([...one, ...two, ...three], TAKEN)],
      HALF,
    ],
    ['is left for something else', [start, undone, left], [...HALF, ...THREE]],
    ['is left for something else between two ingests', [start, left], [...HALF, ...THREE]],
    ['is taken back when it is first read, and comes back', [undone, start], ALL],
    [
      'is taken back further, and half of it comes back',
      [start, undone, exported([...one, ...two], FURTHER), undone],
      HALF,
    ],
    ['is merely missing', [start, exported(one)], ALL],
  ])('%s', (_name, texts, expected) => {
    const steps = of(...texts, texts.at(-1) ?? '');
    expect(viewOf(steps)).toEqual(expected);
  });

  test('what comes instead answers what is in view', () => {
    const { project } = of(start, left);
    const told = [...project.open().refs.list('refs/sessions/')].flatMap(([, head]) => messagesIn(project, head));
    expect(told.find(({ id }) => id === 'msg_05')?.metadata.parent_id).toBe('msg_02');
  });
});

test('a text that streams is one, and no piece of a secret in it stays', () => {
  const pieces = [['gh', 'p_A1b2C3d4'].join(''), 'E5f6G7h8I9j0', 'K1l2M3n4O5p6Q7r8', ', keep it.'];
  const texts = pieces.map((_, index) => {
    const text = `It is ${pieces.slice(0, index + 1).join('')}`;
    return exported([message(1, 'user', 'Tell'), message(2, 'assistant', text, index === 3 ? doneAt(2) : {})]);
  });
  const steps = of(...texts);
  expect({ ...steps, project: null }).toEqual({ ...of(texts.at(-1) ?? ''), project: null });
  expect(inClear(steps, ['A1b2C3d4', 'E5f6G7h8I9j0', 'K1l2M3n4O5p6Q7r8'])).toEqual([]);
});

describe('a call that has not come to its end', () => {
  const call = (state: JsonObject): string => {
    const tool = { type: 'tool', callID: 'call_1', tool: 'bash', state };
    return exported([message(1, 'user', 'Test it'), message(2, 'assistant', 'I do.', {}, [tool])]);
  };
  const input = { command: 'npm test' };
  const running = (output: string): string =>
    call({
      status: 'running',
      input,
      title: 'npm test',
      metadata: { output, description: 'All' },
      time: { start: AT },
    });
  const time = { start: AT, end: AT + 9 };
  const done = call({ status: 'completed', input, output: '9 passed', title: '', metadata: { exit: 0 }, time });
  const closed = { toolCallId: 'call_1', state: 'output-error', errorText: 'no result recorded' };
  const callsOf = ({ messages }: ReturnType<typeof of>): object[] =>
    messages.flatMap((each) => (each as { parts: JsonObject[] }).parts).filter(({ toolCallId }) => toolCallId);

  test('is closed with what it had given', () => {
    const kept = { output: '3 of 9', preliminary: true, result: { description: 'All' }, title: 'npm test' };
    expect(callsOf(of(running('3 of 9')))).toMatchObject([{ ...closed, ...kept }]);
    const bare = call({ status: 'running', input, metadata: {}, time: { start: AT } });
    expect(Object.keys(callsOf(of(bare))[0] ?? {})).not.toContain('preliminary');
  });

  test('is closed with its input, except the input for a file that holds secrets', () => {
    const raw = '{"filePath":"/p/a.ts","content":"sunny at';
    const pending = (text: string): string => call({ status: 'pending', input: {}, raw: text });
    expect(callsOf(of(pending(raw)))).toMatchObject([{ ...closed, raw, preliminary: true }]);
    expect(inClear(of(pending(raw.replace('a.ts', '.env'))), ['sunny at'])).toEqual([]);
  });

  test('is recorded once when it has ended', () => {
    const steps = of(running('3 of 9'), running('3 of 9, 4 of 9'), done, done);
    expect({ ...steps, project: null }).toEqual({ ...of(done), project: null });
    expect(steps.deeds).toEqual([['command', 'npm test']]);
    expect(callsOf(steps)).toMatchObject([{ state: 'output-available', output: '9 passed', result: { exit: 0 } }]);
  });

  test('keeps no piece of a secret that its output ends in', () => {
    const [begins, ends] = [['gh', 'p_A1b2C3d4'].join(''), 'E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'];
    expect(inClear(of(running(begins), running(begins + ends)), ['A1b2C3d4', 'E5f6G7h8I9j0'])).toEqual([]);
  });
});
