// Tests the fate of the holder of a lock: on machines of many kinds, those without /proc too.
import { describe, expect, test } from 'vitest';
import { type Holder, type HolderState, stateOfHolder } from '../../src/platform/holder.ts';
import type { Machine } from '../../src/platform/machine.ts';

const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** When the lock was written. */
const WRITTEN = 1_769_040_000_000;

/** A machine that tells nothing of itself and has no process, a day after the lock was written. */
const SILENT: Machine = {
  host: () => 'here',
  boot: () => '',
  namespace: () => '',
  started: () => '',
  process: () => undefined,
  listed: () => undefined,
  bootedAt: () => WRITTEN - DAY,
  now: () => WRITTEN + DAY,
};
/** One with /proc, on which the holder runs. */
const TELLING: Machine = {
  ...SILENT,
  boot: () => 'boot',
  namespace: () => 'pid:[1]',
  process: () => ({ ended: false, started: '77' }),
};
/** One without, on which something runs under the holder's number. */
const RUNNING: Machine = { ...SILENT, process: () => ({ ended: false, started: '' }) };

const HOLDER: Holder = { pid: 7, host: 'here', boot: 'boot', namespace: 'pid:[1]', started: '77', nonce: 'n' };
const UNTOLD: Holder = { ...HOLDER, boot: '', namespace: '', started: '' };

type Row = [words: string, holder: Partial<Holder>, machine: Partial<Machine>, fate: HolderState];

describe('with /proc', () => {
  const gone = { process: () => undefined };
  /** The clock may have been set: where the machine tells of its start, no time of it counts. */
  const hidden = { process: () => ({ ended: false, started: '' }), bootedAt: () => WRITTEN + DAY / 2 };

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
    ['it runs as somebody else, whose processes are hidden', {}, hidden, 'unknown'],
    ['a lock without a start of the machine', { boot: '' }, {}, 'runs'],
  ])('%s', (_words, holder, machine, fate) => {
    expect(stateOfHolder({ ...HOLDER, ...holder }, () => WRITTEN, { ...TELLING, ...machine })).toBe(fate);
  });
});

describe('with nothing but the clock', () => {
  const listed = (startedAt: number, ended = false): Partial<Machine> => ({ listed: () => ({ ended, startedAt }) });

  test.each<Row>([
    ['nothing has its number', {}, { process: () => undefined }, 'gone'],
    ['another machine', { host: 'there' }, { process: () => undefined }, 'unknown'],
    ['what has its number started before', {}, listed(WRITTEN - SECOND), 'runs'],
    ['what has its number started in the same second', {}, listed(WRITTEN), 'runs'],
    ['what has its number started later, after the machine', {}, listed(WRITTEN + DAY / 2), 'gone'],
    [
      'what has its number started perhaps later: the clock may have been put right',
      {},
      listed(WRITTEN + SECOND),
      'unknown',
    ],
    ['what has its number has ended, and its parent has not looked', {}, listed(WRITTEN - SECOND, true), 'gone'],
    ['nothing is told of what has its number', {}, {}, 'unknown'],
    ['nothing is told of it, and the machine started later', {}, { bootedAt: () => WRITTEN + DAY / 2 }, 'gone'],
    ['nothing is told of it, and the machine started about then', {}, { bootedAt: () => WRITTEN + SECOND }, 'unknown'],
    ['the clock was set back since', {}, { ...listed(WRITTEN - 2 * DAY), now: () => WRITTEN - DAY }, 'unknown'],
  ])('%s', (_words, holder, machine, fate) => {
    expect(stateOfHolder({ ...UNTOLD, ...holder }, () => WRITTEN, { ...RUNNING, ...machine })).toBe(fate);
  });

  test('a lock that was written just now costs no other program: nobody can have got its number since', () => {
    const asked: string[] = [];
    const machine: Machine = {
      ...RUNNING,
      now: () => WRITTEN + SECOND,
      listed: () => void asked.push('ps'),
      bootedAt: () => asked.push('uptime'),
    };
    expect([stateOfHolder(UNTOLD, () => WRITTEN, machine), asked]).toEqual(['runs', []]);
  });
});
