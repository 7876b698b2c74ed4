// Records: what each kind takes, what it does not, and that what nobody knows is carried unchanged.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import { checkBody } from '../../src/core/records/check.ts';
import { envelopeProblem, makeRecord, RECORD_VERSION } from '../../src/core/records/record.ts';
import { CONFIDENCES, RELATION_LABELS } from '../../src/core/records/relation.ts';
import { RECORD_KINDS } from '../../src/core/records/table.ts';
import { NOTE_ROLES } from '../../src/core/state.ts';
import { anyText, fc } from '../support/property.ts';

const OID = 'a'.repeat(40);
const SHA256 = 'b'.repeat(64);
const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hi' }] };
const tool = { type: 'dynamic-tool', toolName: 'bash', toolCallId: 'c1' };

/** The words of the format, written out once more. */
const ROLES = ['question', 'response', 'intervention', 'confirmation', 'continuation', 'plain'];
const LABELS = [
  ...['Mentions', 'Contains', 'Defines', 'Imports', 'References', 'Calls', 'Implements', 'UsesType', 'DependsOn'],
  ...['UpdatedIn', 'DerivedFrom'],
];
const LEVELS = ['high', 'medium', 'low'];

const GOOD: [kind: string, fields: object][] = [
  ...ROLES.map((role): [string, object] => ['note', { content: 'x', role }]),
  ['note', { content: '', role: 'plain' }],
  ['plan', { content: '1. a' }],
  ['read', { path: 'a.ts' }],
  ['read', { path: 'a.ts', blob: OID, bytes: 0 }],
  ['write', { path: '/etc/x', sha256: SHA256, bytes: 9 }],
  ['delete', { path: 'a.ts' }],
  ['command', { command: 'npm test' }],
  ['command', { command: '', exit_code: 0, output: 'ok', duration_ms: 12.5 }],
  ['command', { command: 'x', exit_code: -11, duration_ms: 0 }],
  ['command', { command: 'x', exit_code: null, duration_ms: null }],
  ...LABELS.map((label): [string, object] => [
    'relation',
    { from: 'task:1', label, to: 'file:src/a b.ts', confidence: 'high', evidence: '' },
  ]),
  ...LEVELS.map((confidence): [string, object] => [
    'relation',
    { from: 'item:a\nb', label: 'Calls', to: 'decision:x', confidence },
  ]),
  ['message', { message }],
  ['message', { message: { ...message, role: 'system' } }],
  ['message', { message: { ...message, role: 'assistant', parts: [], metadata: { created_at: 1, own: { id: 'x' } } } }],
  ['message', { message: { ...message, metadata: { parent_id: null, usage: { input: 1, own: 2 } }, more: [1] } }],
  ['part', { message_id: 'm', part_id: 'p', seq: 0, part: { type: 'reasoning', text: '' } }],
  [
    'part',
    { message_id: 'm', part_id: 'p', seq: 1, part: { ...tool, state: 'input-available', input: { a: [null] } } },
  ],
  [
    'part',
    { message_id: 'm', part_id: 'p', seq: 1, part: { ...tool, state: 'output-available', input: 1, output: null } },
  ],
  [
    'part',
    { message_id: 'm', part_id: 'p', seq: 1, part: { ...tool, state: 'output-error', input: 1, errorText: 'x' } },
  ],
  ['part', { message_id: 'm', part_id: 'p', seq: 1, part: { ...tool, state: 'input-streaming' } }],
  ['part', { message_id: 'm', part_id: 'p', seq: 1, part: { ...tool, state: 'input-streaming', input: '{"a' } }],
  ['part', { message_id: 'm', part_id: 'p', seq: 1, part: { type: 'data-image', data: [1] } }],
  ['part', { message_id: 'm', part_id: 'p', seq: 1, part: { type: 'file', mediaType: 'image/png', url: 'data:x' } }],
  ['overlay', { op: 'hide', ids: ['m1'], reason: 'rewind' }],
  ...['hide', 'show', 'prune', 'unprune'].map((op): [string, object] => ['overlay', { op, ids: ['m1', 'm2'] }]),
  ['overlay', { op: 'unprune', range: { from: 'a', to: 'b', more: 1 } }],
  ['usage', { usage: {} }],
  ['usage', { usage: { input: 1, output: 2, reasoning: 0, cache_read: 3, cache_write: 4, own: 'x' } }],
  ['permission', {}],
  ['permission', { tool: 'bash', allowed: true }],
];

const BAD: [kind: string, fields: object, problem: RegExp][] = [
  ['note', {}, /^"?content"?:? /],
  ['note', { content: 1 }, /^"?content"?:? /],
  ['note', { content: 'x', role: 'shout' }, /^"?role"?:? /],
  ['plan', { content: null }, /^"?content"?:? /],
  ['read', {}, /^"?path"?:? /],
  ['read', { path: '' }, /^"?path"?:? /],
  ['read', { path: 'a', blob: OID.slice(1) }, /^"?blob"?:? /],
  ['read', { path: 'a', blob: OID.toUpperCase() }, /^"?blob"?:? /],
  ['read', { path: 'a', bytes: -1 }, /^"?bytes"?:? /],
  ['read', { path: 'a', bytes: 1.5 }, /^"?bytes"?:? /],
  ['write', { path: 'a', sha256: OID }, /^"?sha256"?:? /],
  ['write', { path: ['a'] }, /^"?path"?:? /],
  ['delete', { path: '' }, /^"?path"?:? /],
  ['command', {}, /^"?command"?:? /],
  ['command', { command: ['npm', 'test'] }, /^"?command"?:? /],
  ['command', { command: 'x', exit_code: '0' }, /^"?exit_code"?:? /],
  ['command', { command: 'x', exit_code: 1.5 }, /^"?exit_code"?:? /],
  ['command', { command: 'x', output: null }, /^"?output"?:? /],
  ['command', { command: 'x', duration_ms: -1 }, /^"?duration_ms"?:? /],
  ['relation', { from: 'src/a.ts', label: 'Calls', to: 'file:b' }, /^from takes task:/],
  ['relation', { from: 'file:', label: 'Calls', to: 'file:b' }, /^"?from"?:? /],
  ['relation', { from: 'file:a', label: 'calls', to: 'file:b' }, /^"?label"?:? /],
  ['relation', { from: 'file:a', label: 'Calls' }, /^"?to"?:? /],
  ['relation', { from: 'file:a', label: 'Calls', to: 'x:b' }, /^"?to"?:? /],
  ['relation', { from: 'file:a', label: 'Calls', to: 'file:b', confidence: 1 }, /^"?confidence"?:? /],
  ['relation', { from: 'file:a', label: 'Calls', to: 'file:b', evidence: {} }, /^"?evidence"?:? /],
  ['message', {}, /^"?message"?:? /],
  ['message', { message: { ...message, id: '' } }, /^"?message\.id"?:? /],
  ['message', { message: { ...message, role: 'tool' } }, /^"?message\.role"?:? /],
  ['message', { message: { ...message, parts: 'hi' } }, /^"?message\.parts"?:? /],
  ['message', { message: { ...message, parts: [{ type: 'text' }] } }, /^"message\.parts\.0/],
  ['message', { message: { ...message, parts: [{ type: 'image', data: 1 }] } }, /^"message\.parts\.0/],
  [
    'message',
    { message: { ...message, parts: [{ ...tool, state: 'output-available', input: 1 }] } },
    /^"message\.parts/,
  ],
  ['message', { message: { ...message, metadata: { created_at: 'now' } } }, /^"?message\.metadata\.created_at"?:? /],
  ['message', { message: { ...message, metadata: null } }, /^"?message\.metadata"?:? /],
  ['part', { part_id: 'p', seq: 0, part: { type: 'text', text: '' } }, /^"?message_id"?:? /],
  ['part', { message_id: 'm', part_id: 'p', seq: -1, part: { type: 'text', text: '' } }, /^"?seq"?:? /],
  ['part', { message_id: 'm', part_id: 'p', seq: 0 }, /^"?part"?:? /],
  ['overlay', { op: 'delete' }, /^"?op"?:? /],
  ['overlay', { op: 'hide', ids: [''] }, /^"?ids\.0"?:? /],
  ['overlay', { op: 'hide', range: { from: 'a' } }, /^"?range\.to"?:? /],
  ['usage', {}, /^"?usage"?:? /],
  ['usage', { usage: { input: '1' } }, /^"?usage\.input"?:? /],
  ['task', { content: 'x' }, /^"task" records are written by ctx alone$/],
  ['transition', {}, /^"transition" records are written by ctx alone$/],
  ['title', { title: 'x' }, /^"title" records are written by ctx alone$/],
  ['status', { status: 'paused' }, /^"status" records are written by ctx alone$/],
  ['about', { agent: 'x' }, /^"about" records are written by ctx alone$/],
  ['rule', { tool: 'Bash' }, /^"rule" records are written by ctx alone$/],
  ['snapshot', { snapshot_id: 'x' }, /^"snapshot" records are written by ctx alone$/],
];

describe('every kind', () => {
  test.each(GOOD)('%s: %j passes unchanged, with more than we know', (kind, fields) => {
    const body = { kind, ...fields, own_key: { deep: ['x', null] } };
    expect(checkBody(body)).toEqual({ ok: true, body });
  });

  test.each(BAD)('%s: %j is refused, and says where', (kind, fields, problem) => {
    const check = checkBody({ kind, ...fields });
    expect(check).toMatchObject({ ok: false });
    expect((check as { problem: string }).problem).toMatch(problem);
    expect((check as { problem: string }).problem).not.toContain('\n');
  });

  test.each([
    [{ type: 'image' }, '"part.type": must be one of text, reasoning, file, dynamic-tool, data-…'],
    [{}, '"part.type": must be one of text, reasoning, file, dynamic-tool, data-…'],
    [{ type: 'text' }, '"part.text": must be string'],
    [
      { ...tool, state: 'done' },
      '"part.state": must be one of input-streaming, input-available, output-available, output-error',
    ],
    [{ ...tool, state: 'output-error', input: 1 }, '"part.errorText": must be string'],
    [{ type: 'data-x' }, '"part.data": is missing, or of a type that is not taken'],
    [3, '"part": must be object'],
  ])('the part %j of a message is refused by what it means to be', (part, problem) => {
    expect(checkBody({ kind: 'part', message_id: 'm', part_id: 'p', seq: 1, part })).toEqual({ ok: false, problem });
  });

  test('is in these tables, good and bad', () => {
    expect([NOTE_ROLES, RELATION_LABELS, CONFIDENCES]).toEqual([ROLES, LABELS, LEVELS]);
    const kinds = Object.entries(RECORD_KINDS);
    const checked = kinds.filter(([, { batch }]) => batch === 'checked').map(([kind]) => kind);
    const refused = kinds.filter(([, { batch }]) => batch === 'refused').map(([kind]) => kind);
    expect(new Set(GOOD.map(([kind]) => kind))).toEqual(new Set(checked));
    expect(new Set([...BAD.map(([kind]) => kind), 'permission'])).toEqual(new Set([...checked, ...refused]));
  });

  test('what may be left out has a default', () => {
    expect(checkBody({ kind: 'note', content: 'x' })).toEqual({
      ok: true,
      body: { kind: 'note', content: 'x', role: 'plain' },
    });
    const edge = { kind: 'relation', from: 'file:a', label: 'Calls', to: 'file:b' };
    expect(checkBody(edge)).toEqual({ ok: true, body: { ...edge, confidence: 'medium' } });
  });

  test.each([[null], ['note'], [[]], [{}], [{ kind: '' }], [{ kind: 7 }], [undefined]])(
    '%j is no record at all',
    (value) => {
      expect(checkBody(value)).toEqual({ ok: false, problem: 'it is not an object with a "kind"' });
    },
  );
});

describe('what we do not know', () => {
  test('a kind of somebody else passes with everything in it', () => {
    const key = anyText(6, 1).filter((name) => name !== '__proto__');
    const body = fc
      .tuple(fc.stringMatching(/^x[a-z-]{0,8}$/), fc.dictionary(key, fc.jsonValue(), { maxKeys: 4 }))
      .map(([kind, fields]) => JSON.parse(JSON.stringify({ ...fields, kind })) as object);
    fc.assert(
      fc.property(body, (value) => {
        const check = checkBody(value);
        return check.ok && isDeepStrictEqual(check.body, value);
      }),
    );
    for (const kind of ['toString', 'constructor', 'hasOwnProperty', 'Note', 'note ', 'raw']) {
      expect(checkBody({ kind, x: 1 })).toEqual({ ok: true, body: { kind, x: 1 } });
    }
  });
  test('even a key called __proto__', () => {
    const value = JSON.parse('{"kind":"other","__proto__":{"a":1}}') as object;
    expect(JSON.stringify((checkBody(value) as { body: object }).body)).toBe(JSON.stringify(value));
  });
});

describe('the envelope', () => {
  test('comes first, and what the fields say of it does not count', () => {
    const body = { content: 'x', version: 9, id: 'mine', at: 1, kind: 'note', role: 'plain' };
    const record = makeRecord('0199', 50, body);
    expect(record).toEqual({ version: RECORD_VERSION, id: '0199', kind: 'note', at: 50, content: 'x', role: 'plain' });
    expect(Object.keys(record).slice(0, 4)).toEqual(['version', 'id', 'kind', 'at']);
  });

  const good = { version: 1, id: 'x', kind: 'y', at: 0 };
  test.each<[JsonValue, string | null]>([
    [good, null],
    [{ ...good, version: 2, more: 1 }, null],
    [null, 'it is not a JSON object'],
    [[], 'it is not a JSON object'],
    ['x', 'it is not a JSON object'],
    [{ ...good, version: '1' }, 'it has no version'],
    [{ ...good, version: 1.5 }, 'it has no version'],
    [{ ...good, id: '' }, 'it has no id'],
    [{ ...good, id: 1 }, 'it has no id'],
    [{ ...good, kind: '' }, 'it has no kind'],
    [{ ...good, kind: null }, 'it has no kind'],
    [{ ...good, at: -1 }, 'it has no time'],
    [{ ...good, at: 1.5 }, 'it has no time'],
    [{ ...good, at: '0' }, 'it has no time'],
  ])('%j: %j', (value, problem) => {
    expect(envelopeProblem(value)).toBe(problem);
  });
});
