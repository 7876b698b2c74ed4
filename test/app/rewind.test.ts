// `rewind` and `unrewind` on real stores: what waits and what is flushed, undo, and conversations that an agent has recorded.
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project } from '../support/store.ts';

/** A session with the records of a conversation, the last of which wait. */
function talked(...ids: string[]): Project {
  const project = makeProject();
  ctx.startSession(project.repository, 'the task');
  say(project, ...ids.slice(0, -2));
  ctx.flushStep(project.repository);
  say(project, ...ids.slice(-2));
  return project;
}

const messageLine = (id: string, parts: object[] = [{ type: 'text', text: `words of ${id}` }]): string => {
  const role = id.startsWith('a') ? 'assistant' : 'user';
  return `${JSON.stringify({ kind: 'message', message: { id, role, parts } })}\n`;
};

function say({ repository }: Project, ...ids: string[]): void {
  const { problems } = ctx.observeBatch(repository, [Buffer.from(ids.map((id) => messageLine(id)).join(''))]);
  expect(problems).toEqual([]);
}

const seen = ({ repository }: Project, view: 'model' | 'all' = 'model'): string =>
  [...ctx.readConversation(repository, 'STAGE', { view })].map(({ id }) => id).join(' ');

function expectSound({ repository, store }: Project): void {
  expect(fsck(store)).toBe('');
  expect(checkStore(repository, { full: true }).healthy).toBe(true);
}

test('a rewind hides what follows, waiting or not, and gives the words of the message', () => {
  const project = talked('u1', 'a1', 'u2', 'a2');
  expect(ctx.rewind(project.repository, '2')).toMatchObject({
    message_id: 'u1',
    text: 'words of u1',
    hidden: 3,
    shown: 0,
    world: null,
  });
  expect(seen(project)).toBe('u1');
  expect(seen(project, 'all')).toBe('u1 a1 u2 a2');
  say(project, 'u3');
  expect(seen(project)).toBe('u1 u3');
  expectSound(project);
});

test('what is hidden says by which command, and when', () => {
  const project = talked('u1', 'a1', 'u2', 'a2');
  ctx.rewind(project.repository, 'u2');
  const [, , , last] = ctx.readConversation(project.repository, 'STAGE', { view: 'all' });
  expect(last?.hidden).toEqual({ by: 'rewind', at: project.clock.now, overlay: expect.any(String) as string });
});

test('an unrewind brings back what was in view, twice, and keeps the line that was begun since', () => {
  const project = talked('u1', 'a1', 'u2', 'a2', 'u3', 'a3');
  ctx.rewind(project.repository, 'u2');
  ctx.rewind(project.repository, 'u1');
  say(project, 'u4', 'a4');
  expect(ctx.unrewind(project.repository)).toMatchObject({
    message_id: 'u2',
    hidden: 2,
    shown: 2,
    lines: [{ message_id: 'u4', text: 'words of u4', messages: 2 }],
  });
  expect(seen(project)).toBe('u1 a1 u2');
  ctx.unrewind(project.repository);
  expect(seen(project)).toBe('u1 a1 u2 a2 u3 a3');
  expect(errorOf(() => ctx.unrewind(project.repository))).toMatchObject({ code: 'no_such_move' });
  // The line that was left is reached by its message.
  ctx.rewind(project.repository, 'u4');
  expect(seen(project)).toBe('u1 u4');
  expectSound(project);
});

test('an undo takes a rewind back, keeps what came since, and is undone itself', () => {
  const project = talked('u1', 'a1', 'u2', 'a2');
  ctx.rewind(project.repository, 'u1');
  say(project, 'u3');
  undoOperations(project.repository);
  expect(seen(project)).toBe('u1 a1 u2 a2 u3');
  undoOperations(project.repository);
  expect(seen(project)).toBe('u1 u3');
  // The rewind counts again.
  ctx.unrewind(project.repository);
  expect(seen(project)).toBe('u1 a1 u2 a2');
  expectSound(project);
});

test('two rewinds are undone in one step', () => {
  const project = talked('u1', 'a1', 'u2', 'a2');
  ctx.rewind(project.repository, 'u2');
  ctx.rewind(project.repository, 'u1');
  undoOperations(project.repository, 2);
  expect(seen(project)).toBe('u1 a1 u2 a2');
  expect(errorOf(() => ctx.unrewind(project.repository)).code).toBe('no_such_move');
  expectSound(project);
});

test('a rewind to a message that is not the user’s is refused, and names the nearest two', () => {
  const project = talked('u1', 'a1', 'u2', 'a2');
  expect(errorOf(() => ctx.rewind(project.repository, 'a1'))).toMatchObject({
    code: 'invalid_input',
    data: {
      message_id: 'a1',
      role: 'assistant',
      nearest: [
        { message_id: 'u1', text: 'words of u1' },
        { message_id: 'u2', text: 'words of u2' },
      ],
    },
  });
  expect(errorOf(() => ctx.rewind(project.repository, '3'))).toMatchObject({ code: 'not_found' });
  expect(errorOf(() => ctx.rewind(project.repository, 'nothing'))).toMatchObject({ code: 'not_found' });
  expect(seen(project)).toBe('u1 a1 u2 a2');
});

test('a rewind to the last message of the user, with nothing after it, changes nothing', () => {
  const project = talked('u1', 'a1', 'u2');
  const head = project.repository.refs.read(project.repository.refs.stage() ?? '');
  expect(ctx.rewind(project.repository, '1')).toMatchObject({ hidden: 0, shown: 0 });
  expect(project.repository.refs.read(project.repository.refs.stage() ?? '')).toBe(head);
  expect(errorOf(() => ctx.unrewind(project.repository)).code).toBe('no_such_move');
});

test('the words of a long message are given whole', () => {
  const project = talked('u1', 'a1');
  const text = 'long '.repeat(4000);
  ctx.observeBatch(project.repository, [Buffer.from(messageLine('u2', [{ type: 'text', text }]))]);
  ctx.flushStep(project.repository);
  expect(ctx.rewind(project.repository, 'u2').text).toBe(text);
});

test.each([
  ['done', 'PendingComplete'],
  ['ask', 'AwaitingUser'],
  ['interrupt', 'Interrupted'],
] as const)(
  'what %s said is out of view after a rewind, and waits again after an unrewind or an undo',
  (verb, kind) => {
    const project = talked('u1', 'a1', 'u2', 'a2');
    const { repository } = project;
    ctx.setState(repository, verb, { text: 'words of the end' });
    const state = () => (ctx.sessionStatus(repository) as ctx.ActiveStatus).session_state;
    const before = state();
    expect(before.kind).toBe(kind);
    ctx.rewind(repository, 'u2');
    expect(state()).toEqual({ kind: 'Running' });
    const { message } = ctx.recoverSession(repository);
    expect(message).toContain('I was working on: the task');
    expect(message).not.toContain('words of the end');
    ctx.unrewind(repository);
    expect(state()).toEqual(before);
    ctx.rewind(repository, 'u1');
    expect(state()).toEqual({ kind: 'Running' });
    undoOperations(repository);
    expect(state()).toEqual(before);
    // An unrewind leaves a state that something was said in since.
    ctx.rewind(repository, 'u1');
    say(project, 'u3');
    ctx.unrewind(repository);
    expect(state()).toEqual({ kind: 'Running' });
    expectSound(project);
  },
);

test('a rewind that hides nothing leaves the state', () => {
  const { repository } = talked('u1', 'a1', 'u2');
  ctx.setState(repository, 'ask', { text: 'Which one?' });
  ctx.rewind(repository, 'u2');
  expect(ctx.sessionStatus(repository)).toMatchObject({ session_state: { kind: 'AwaitingUser' } });
});
