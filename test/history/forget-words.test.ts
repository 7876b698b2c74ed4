// Forgetting takes what people said, wherever they said it, and nothing of what ctx and Git themselves say.
import { describe, expect, it } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { observeBatch } from '../../src/app/session/batch.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import type { JsonValue } from '../../src/core/json.ts';
import { mapAnybodys, mapTexts } from '../../src/core/session/map-texts.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const SECRET = 'Zwiebelkuchen-1234';
const all = (text: string): string => text.replaceAll(SECRET, '#');
const KEYS = ['id', 'kind', 'blob', 'sha256', 'by', 'session_id', 'base', 'payload', 'encoding', 'message_id', 'role'];
const input = { ...Object.fromEntries(KEYS.map((key) => [key, SECRET])), deep: [{ id: SECRET, preview: '' }] };
const message = (more: object): JsonValue => ({
  ...{ version: 1, id: 'r', kind: 'message', at: 1 },
  message: {
    id: 'm',
    role: 'assistant',
    parts: [{ type: 'dynamic-tool', toolName: 't', toolCallId: 'c', state: 'output-available', ...more }],
  },
});
const told = (value: JsonValue): string => JSON.stringify(value);

function expectSound(project: Project): void {
  expect(fsck(project.store)).toBe('');
  expect(checkStore(project.open(), { full: true }).findings).toEqual([]);
}

describe('a value', () => {
  it('keeps nothing of a text under keys that are only called like those of ctx', () => {
    for (const place of ['input', 'output', 'data'])
      expect(told(mapTexts(message({ [place]: input }), all))).not.toContain(SECRET);
    expect(told(mapTexts({ kind: 'message', metadata: { id: SECRET, base: { by: SECRET } } }, all))).not.toContain(
      SECRET,
    );
    expect(told(mapAnybodys({ ...input, role: SECRET }, all))).not.toContain(SECRET);
    expect(told(mapTexts(message({ input: { Zwiebelkuchen: 1 } }), () => '#'))).not.toContain('Zwiebelkuchen');
    const stub = { preview: SECRET, payload: SECRET, sha256: SECRET, bytes: 1 };
    expect(told(mapTexts(message({ input: stub }), all))).not.toContain(SECRET);
  });

  it('keeps the words of ctx where ctx says them', () => {
    const session = {
      version: 1,
      session_id: 's',
      session_state: { kind: 'Running' },
      sources: [{ agent: 'claude-code', agent_session_id: 'x', transcript: 't' }],
      ended: { type: { kind: 'Normal' } },
    };
    const move = { kind: 'transition', id: 'i', by: 'ask', from: { kind: 'Running' }, to: { kind: 'AwaitingUser' } };
    const source = { agent: 'claude-code', transcript: 't', agent_session_id: 's' };
    const mapped = told([
      mapTexts(message({ input: 'x' }), () => '#'),
      mapTexts(session, () => '#'),
      mapTexts(move, () => '#'),
      mapTexts(source, () => '#'),
    ]);
    for (const word of [
      'assistant',
      'dynamic-tool',
      'output-available',
      'message',
      'Running',
      'AwaitingUser',
      'Normal',
    ])
      expect(mapped).toContain(`"${word}"`);
    expect(mapped.match(/"claude-code"/g)).toHaveLength(2);
    expect(mapped).toContain('"by":"ask"');
  });
});

describe('forgetting a text', () => {
  const observe = (project: Project, value: JsonValue): void => {
    observeBatch(project.open(), [Buffer.from(`${JSON.stringify(value)}\n`)], project.folder);
  };

  it('takes it from under such keys too, and lets it in under them no more', () => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    observe(project, message({ input, output: SECRET }));
    flushStep(project.open());
    expect(tracesOf(project.store, SECRET)).not.toEqual([]);
    expect(forget(project.open(), { text: SECRET }).left).toEqual([]);
    expect(tracesOf(project.store, SECRET)).toEqual([]);
    observe(project, message({ input, output: SECRET }));
    flushStep(project.open());
    expect(tracesOf(project.store, SECRET)).toEqual([]);
    expectSound(project);
  });

  it('leaves the words of ctx, now and later, and names what holds them', () => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    observe(project, message({ input: 'ask the assistant', output: 1 }));
    flushStep(project.open());
    const result = forget(project.open(), { text: 'assistant' });
    expect(result.left.join('\n')).toMatch(/^objects\/[0-9a-f]{40}$/m);
    expect(project.git('show', 'STAGE:step.jsonl')).toMatch(/"role":"assistant".*ask the \[forgotten:/);
    observe(project, message({ input: 'ask the assistant', output: 1 }));
    flushStep(project.open());
    expect(project.git('show', 'STAGE:step.jsonl')).toMatch(/"role":"assistant".*ask the \[forgotten:/);
    expectSound(project);
  });

  const OWN = "of this store, as a word of ctx's own.";
  it.each([
    [{ text: 'session' }, `It is still in 4 objects and in the names of 1 ref ${OWN}`],
    [{ pattern: 'sess[a-z]{3}' }, `It is still in 4 objects and in the names of 1 ref ${OWN}`],
    [{ pattern: 'session|Zwiebel' }, `1 of the 2 texts is still in 4 objects and in the names of 1 ref ${OWN}`],
    [
      { pattern: 'session|content|Zwiebel' },
      `2 of the 3 texts are still in 6 objects and in the names of 1 ref ${OWN}`,
    ],
    [{ pattern: 'Zwiebel' }, null],
  ])('by %j names what is left of it in what ctx says', (target, sentence) => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    observeNote(project.repository, 'a session about Zwiebel');
    flushStep(project.repository);
    const { unreachable, left } = forget(project.open(), target);
    expect(unreachable.filter((line) => line.includes('ctx'))).toEqual(sentence === null ? [] : [sentence]);
    expect(left.every((name) => name.startsWith('objects/'))).toBe(true);
    expectSound(project);
  });

  it('is refused where it is only in what ctx says', () => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    for (const target of [{ text: 'sessions' }, { pattern: 'session[s]' }])
      expect(errorOf(() => forget(project.open(), target))).toMatchObject({
        code: 'not_found',
        message: "In this store it is only a word of ctx's or Git's own: in the names of 1 ref.",
        hint: expect.not.stringContaining('Delete'),
      });
    expect(errorOf(() => forget(project.open(), { text: 'message' })).message).toMatch(/own: in [0-9]+ objects?\.$/);
  });

  it.each(['committer', 'parent', 'ctx@localhost', 'the id'])('breaks nothing that Git says: %s', (given) => {
    const project = makeProject();
    startSession(project.repository, 'A task');
    const head = flushStep(project.repository).oid;
    const text = given === 'the id' ? head.slice(0, 7) : given;
    observeNote(project.repository, `It is the ${text} that I mean`);
    flushStep(project.repository);
    project.git('branch', 'mine', head);
    project.git('tag', '-m', `about the ${text}`, 'v1', head);
    project.git('update-ref', '-m', `reset: ${text}`, 'refs/heads/mine', `${head}~1`);
    forget(project.open(), { text });
    expectSound(project);
    expect(project.git('cat-file', 'tag', 'v1')).toMatch(/\n\nabout the \[forgotten:/);
    expect(project.git('rev-parse', 'v1^{commit}')).toBe(project.git('rev-parse', 'v1~0'));
    expect(project.git('reflog', 'show', 'refs/heads/mine')).toMatch(/reset: \[forgotten:/);
    expect(project.git('show', 'STAGE:step.jsonl')).toMatch(/It is the \[forgotten:/);
  });
});
