// Small files that would fill the memory or take for ever: each is refused or harmless, in bounded memory and time.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { VALUES_LIMIT } from '../../src/core/json.ts';
import { LINE_LIMIT } from '../../src/core/lines.ts';
import { tellCases } from '../support/cases.ts';
import { BOMBS } from './bombs.ts';
import { expectHarmless, FULL, type Lived, livedIn, picture, watch, watchMany } from './support.ts';
import { Victim } from './victim.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const FEW = [...[['stage', 'status'], ['show', 'STAGE', '--steps'], ['fsck'], ['stage', 'flush']]];
const LINES = [
  ...FEW,
  ...[
    ['log', '--stat'],
    ['diff', 'HEAD'],
    ['stage', 'recover'],
    ['stage', 'list'],
    ['log', '--path', 'src'],
    ['show', 'HEAD'],
    ['diff', 'HEAD~1', 'HEAD'],
  ],
  ...[
    ['op', 'log'],
    ['fsck', '--full'],
    ['git', 'log', '-n', '1', '--oneline', 'main'],
    ['observe', 'note', 'x'],
  ],
  ...[['stage', 'flush'], ['fsck', '--repair'], ['stage', 'compact'], ['gc']],
];

/** True if the memory that each command needed is told. */
const PEAKS = process.env['CTX_STRANGERS_PEAKS'] === '1';

/** Most memory that a line from outside may need, in KiB. */
const LINE_MEMORY = 200 * 1024;

describe('a line of 16 MiB', () => {
  /** A line that is as long as a line may be: a list of one small value over and over, filled up with text. */
  const line = (beginning: string, value: string, count: number, end: string): string => {
    const values = `${`${value},`.repeat(count)}${value}`;
    const room = LINE_LIMIT - beginning.length - values.length - end.length - 8;
    return `${beginning}${values}],"p":"${'y'.repeat(room)}"${end}\n`;
  };
  const most = (value: string): number => Math.floor((LINE_LIMIT - 1000) / (value.length + 1));
  const batch = (value: string, count: number): string => line('{"kind":"x","a":[', value, count, '}');
  const victim = (): Victim => new Victim(lived);

  test.each([
    ['{}', VALUES_LIMIT / 2 - 10],
    ['[[]]', VALUES_LIMIT / 3 - 10],
    ['0', VALUES_LIMIT - 10],
    ['"\\u0000"', VALUES_LIMIT - 10],
  ])('of as many %s as may be is kept by observe batch, in bounded memory', async (value, count) => {
    const watched = await watch(['observe', 'batch'], { cwd: victim().dir, input: batch(value, Math.floor(count)) });
    expect(watched.code, watched.stderr).toBe(0);
    expect(watched.peak).toBeLessThan(LINE_MEMORY);
  });

  test.each(['{}', '[]', '[[]]', '0', '""'])('of nothing but %s is refused by observe batch', async (value) => {
    const input = `${batch(value, most(value))}{"kind":"note","content":"after it"}\n`;
    const watched = await watch(['observe', 'batch'], { cwd: victim().dir, input });
    expect(watched.code).toBe(1);
    expect(watched.stderr).toMatch(/line 1 was not kept: it holds more than 250000 values/);
    expect(watched.stdout).toMatch(/^Kept 1 record/);
    expect(watched.peak).toBeLessThan(LINE_MEMORY);
  });

  test('of nothing but {} in a transcript is kept as text and reported', async () => {
    const { dir } = victim();
    const common = { sessionId: 's', timestamp: '2026-01-14T09:12:13Z', type: 'user' };
    const first = JSON.stringify({ ...common, uuid: 'u', parentUuid: null, message: { role: 'user', content: 'Go' } });
    const second = line(
      '{"type":"user","uuid":"v","parentUuid":"u","sessionId":"s","timestamp":"2026-01-14T09:12:13Z","message":{"role":"user"},"a":[',
      '{}',
      most('{}') - 100,
      '}',
    );
    writeFileSync(join(dir, 'transcript.jsonl'), `${first}\n${second}`);
    const watched = await watch(['ingest', 'transcript.jsonl'], { cwd: dir });
    expect(watched.code, watched.stderr).toBe(0);
    expect(watched.stderr).toContain('line 2: holds more than 250000 values; its text is kept');
    expect(watched.peak).toBeLessThan(LINE_MEMORY);
  });
});

describe('a bomb', () => {
  test.each(BOMBS)(
    '%s',
    async (name, plant) => {
      const victim = new Victim(lived);
      plant(victim);
      const outside = (): Record<string, string> => picture(victim.outer, (path) => path === 'project/.ctx');
      const before = outside();
      const lines = FULL ? LINES : FEW;
      tellCases(lines.length);
      // In one process they need no less memory than each in its own.
      const together = !FULL && !PEAKS;
      if (together) expectHarmless(await watchMany(lines, { cwd: victim.dir }), lines);
      for (const words of together ? [] : lines) {
        const watched = await watch(words, { cwd: victim.dir });
        if (PEAKS) console.log(`${watched.peak >> 10} MB ${words.join(' ')}: ${name}`);
        expectHarmless(watched, undefined, words[0] === 'git');
      }
      expect(outside()).toEqual(before);
      rmSync(victim.outer, { recursive: true, force: true });
    },
    600_000,
  );
});
