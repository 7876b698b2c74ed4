// The list of what went wrong in hooks: bounded, however large somebody has made it.
import { appendFileSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { sessionStatus } from '../../src/app/session/status.ts';
import {
  type HookError,
  noteHookError,
  readHookErrorList,
  readHookErrors,
} from '../../src/history/store/hook-errors.ts';
import { errorOf, makeProject } from '../support/store.ts';

const failure = (at: number): HookError => ({ at, agent: 'a', event: 'e', code: 'io', message: 'm'.repeat(400) });

test('the older half goes if it has become long', () => {
  const { repository } = makeProject();
  for (let at = 1; at <= 1000; at += 1) noteHookError(repository.layout, failure(at));
  const kept = readHookErrors(repository).map(({ at }) => at);
  expect(kept.at(-1)).toBe(1000);
  expect(kept).toEqual(Array.from(kept, (_, index) => 1000 - kept.length + 1 + index));
  expect(statSync(repository.layout.hookErrors).size).toBeLessThan(256 * 1024);
});

test('one that is far too large is read from its end, and short again after the next failure', () => {
  const { repository } = makeProject();
  const { hookErrors } = repository.layout;
  noteHookError(repository.layout, failure(1));
  truncateSync(hookErrors, 600 * 1024 * 1024);
  expect(readHookErrors(repository)).toEqual([]);
  noteHookError(repository.layout, failure(2));
  expect(statSync(hookErrors).size).toBeLessThan(256 * 1024);
  noteHookError(repository.layout, failure(3));
  expect(readHookErrors(repository).map(({ at }) => at)).toEqual([3]);
});

test('a line with anything missing or of another kind is passed over, like one that is no JSON', () => {
  const { repository } = makeProject();
  noteHookError(repository.layout, failure(1));
  const lines = ['{"at":1,"agent":"x"}', '{"at":1,"agent":1,"event":"e","code":"c","message":"m"}', 'x', '[]', 'null'];
  appendFileSync(repository.layout.hookErrors, `${lines.join('\n')}\n`);
  noteHookError(repository.layout, failure(2));
  expect(readHookErrors(repository).map(({ at }) => at)).toEqual([1, 2]);
  expect(readHookErrorList(repository).unreadable).toBe(5);
});

test('a list that was cut off is reported, and passes for none without failures no more', () => {
  const { repository } = makeProject();
  const told = (): unknown => [
    sessionStatus(repository).hook_errors,
    checkStore(repository).findings.map(({ where }) => where),
  ];
  expect(told()).toEqual([null, []]);
  noteHookError(repository.layout, failure(1));
  truncateSync(repository.layout.hookErrors, 5);
  expect(told()).toEqual([{ count: 0, last: null, unreadable: 1 }, ['hook-errors.jsonl']]);
});

test('one that cannot be written down is reported in the words of what failed', () => {
  const { repository } = makeProject();
  const { hookErrors } = repository.layout;
  mkdirSync(hookErrors);
  const note = (): void => noteHookError(repository.layout, { ...failure(1), message: 'Cannot write it: ENOSPC' });
  expect(errorOf(note)).toMatchObject({
    code: 'io',
    message: `a e: Cannot write it: ENOSPC (and no status will show it: Cannot write ${hookErrors}: EISDIR)`,
  });
});
