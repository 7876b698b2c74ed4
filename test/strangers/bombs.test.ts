// Small files that would fill the memory or take for ever: each is refused or harmless, in bounded memory and time.
import { rmSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { BOMBS } from './bombs.ts';
import { expectHarmless, FULL, type Lived, livedIn, picture, watch } from './support.ts';
import { Victim } from './victim.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const FEW = [
  ...[
    ['stage', 'status'],
    ['log', '--stat'],
    ['show', 'STAGE', '--steps'],
    ['diff', 'HEAD'],
    ['fsck'],
    ['stage', 'flush'],
  ],
];
const LINES = [
  ...FEW,
  ...[
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

describe('a bomb', () => {
  test.each(BOMBS)(
    '%s',
    async (name, plant) => {
      const victim = new Victim(lived);
      plant(victim);
      const outside = (): Record<string, string> => picture(victim.outer, (path) => path === 'project/.ctx');
      const before = outside();
      for (const words of FULL ? LINES : FEW) {
        const watched = await watch(words, { cwd: victim.dir });
        if (process.env['CTX_STRANGERS_PEAKS']) console.log(`${watched.peak >> 10} MB ${words.join(' ')}: ${name}`);
        expectHarmless(watched, undefined, words[0] === 'git');
      }
      expect(outside()).toEqual(before);
      rmSync(victim.outer, { recursive: true, force: true });
    },
    600_000,
  );
});
