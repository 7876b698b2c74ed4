// `--session` names the session that a start is about: another one must never be ended in its place.
import { expect, test } from 'vitest';
import { checkBody } from '../../src/core/records/check.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, makeProject } from '../support/store.ts';

test('start --replace ends the session that was asked for, not the current one', () => {
  const { repository } = makeProject();
  const asked = ctx.startSession(repository, 'asked for').session_id;
  ctx.observeNote(repository, 'work');
  const current = ctx.startSession(repository, 'current', { beside: true }).session_id;
  ctx.observeNote(repository, 'work');
  const started = ctx.startSession({ ...repository, session: asked }, 'new', { replace: true });
  expect(started.compacted?.session_id).toBe(asked);
  const open = (ctx.listSessions(repository) as ctx.ListedSession[]).map((session) => [
    session.session_id,
    session.current,
  ]);
  expect(new Map(open as [string, boolean][])).toEqual(
    new Map([
      [started.session_id, true],
      [current, false],
    ]),
  );
});

test('a session that does not exist is named, whatever else was asked for', () => {
  const { repository } = makeProject();
  const other = { ...repository, session: 'no-such-session' };
  expect(errorOf(() => ctx.startSession(other, 'new', { beside: true })).code).toBe('not_found');
  expect(ctx.listSessions(repository) as ctx.ListedSession[]).toEqual([]);
});

test('a key called __proto__ is carried on in a record of a known kind, too', () => {
  const given = JSON.parse('{"kind":"note","content":"x","__proto__":{"a":1}}') as object;
  const check = checkBody(given) as { body: object };
  expect(JSON.parse(JSON.stringify(check.body))).toEqual({ ...given, role: 'plain' });
  expect(Object.hasOwn(check.body, '__proto__')).toBe(true);
});
