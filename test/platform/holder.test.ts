// What has become of the holder of a lock: on machines of many kinds.
import { describe, expect, test } from 'vitest';
import { type Fate, fateOf, type Holder } from '../../src/platform/holder.ts';
import type { Machine } from '../../src/platform/machine.ts';

/** A machine that tells nothing of itself and has no process. */
const SILENT: Machine = {
  host: () => 'here',
  boot: () => '',
  namespace: () => '',
  started: () => '',
  process: () => undefined,
};
/** One with /proc, on which the holder runs. */
const TELLING: Machine = {
  ...SILENT,
  boot: () => 'boot',
  namespace: () => 'pid:[1]',
  process: () => ({ ended: false, started: '77' }),
};
const HOLDER: Holder = { pid: 7, host: 'here', boot: 'boot', namespace: 'pid:[1]', started: '77', nonce: 'n' };
type Row = [words: string, holder: Partial<Holder>, machine: Partial<Machine>, fate: Fate];

describe('where /proc tells', () => {
  const gone = { process: () => undefined };

  test.each<Row>([
    ['it runs', {}, {}, 'runs'],
    ['it is gone', {}, gone, 'gone'],
    ['it has ended, and its parent has not looked', {}, { process: () => ({ ended: true, started: '77' }) }, 'gone'],
    ['another has its number', { started: '76' }, {}, 'gone'],
    ['it runs, and the machine has another name now', { host: 'before' }, {}, 'runs'],
    ['it is gone, and the machine has another name now', { host: 'before' }, gone, 'gone'],
    ['the machine was started again', { boot: 'before' }, {}, 'gone'],
    ['the machine was started again, a container on it too', { boot: 'before', namespace: 'pid:[2]' }, {}, 'gone'],
    ['another machine', { boot: 'theirs', host: 'there' }, gone, 'unknown'],
    ['another container of this machine', { namespace: 'pid:[2]' }, gone, 'unknown'],
    ['another container of this machine, by its name too', { namespace: 'pid:[2]', host: 'there' }, gone, 'unknown'],
    ['another machine that tells nothing of itself', { boot: '', namespace: '', host: 'there' }, gone, 'unknown'],
    ['a lock without a start of the machine', { boot: '' }, {}, 'runs'],
  ])('%s', (_words, holder, machine, fate) => {
    expect(fateOf({ ...HOLDER, ...holder }, { ...TELLING, ...machine })).toBe(fate);
  });
});
