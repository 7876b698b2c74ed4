// An export of opencode that is ingested while its session grows: the same as one ingest of the whole.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { fsck } from '../support/store.ts';
import { grown } from './support/grown.ts';

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

/** What a message that is complete tells. */
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

  test('and more of it is told once the user has gone on: that ends no turn', () => {
    const next = message(3, 'user', 'And the fence');
    const told = (info: JsonObject): string =>
      exported([prompt, message(2, 'assistant', 'It is painted.', info), next]);
    const steps = of(told(doneAt(2)), told({ ...doneAt(2), cost: 3 }));
    expect(steps.state).toEqual({ kind: 'Running' });
  });
});
