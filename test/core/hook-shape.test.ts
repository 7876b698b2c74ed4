// A payload of a hook whose shape ctx does not know is told of; one of a stranger's is none of ours.
import { expect, test } from 'vitest';
import { oddities } from '../../src/core/hook-shape.ts';
import type { JsonObject } from '../../src/core/json.ts';

const KNOWN = { hook_event_name: 'Stop', session_id: 'a' };
const told = (words: string): string => `The payload's ${words}: ctx cannot read it.`;

test.each<[JsonObject, string[]]>([
  [KNOWN, []],
  [{ ...KNOWN, prompt: 'Add retry', tool_input: {}, transcript_path: null }, []],
  [{ ...KNOWN, from_the_future: [1] }, []],
  [{ ...KNOWN, prompt: ['Add retry'] }, [told('prompt is a list and no text')]],
  [
    { ...KNOWN, tool_input: 'ls', cwd: false },
    [told('cwd is a boolean and no text'), told('tool_input is a text and no object')],
  ],
  [{ hook_event_name: 'stop', conversation_id: 'c' }, []],
  [{ hook_event_name: 'Stop' }, ['The payload names no session: ctx does not know what it belongs to.']],
  [
    { hook_event_name: 'Stop', session_id: '' },
    ['The payload names no session: ctx does not know what it belongs to.'],
  ],
  [{ hook_event: 'Stop', session_id: 'a' }, ['The payload names no event: ctx does not know what it means.']],
  [{ hook_event_name: ['Stop'], session_id: 'a' }, ['The payload names no event: ctx does not know what it means.']],
  [{ hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: '' }, []],
  [
    { hook_event_name: 'UserPromptSubmit', session_id: 'a' },
    ['The payload of a prompt has no prompt: ctx does not know what was said.'],
  ],
  [{ event: 'Stop', prompt: 7 }, []],
  [{}, []],
])('%j', (payload, expected) => {
  expect(oddities(payload)).toEqual(expected);
});
