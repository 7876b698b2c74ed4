// npm run test:near: which tests are next to a change, and which of them run what the build makes.
import { expect, test } from 'vitest';

const { nearTests, needsBuild } = (await import(new URL('../.ci/near.mjs', import.meta.url).href)) as {
  nearTests: (changed: readonly string[], files: ReadonlyMap<string, string>) => string[];
  needsBuild: (test: string, files: ReadonlyMap<string, string>) => boolean;
};

const FILES = new Map([
  ['test/app/move.test.ts', "import { helper } from './helper.ts';\n"],
  ['test/app/move-many.test.ts', "import { x } from '../support/store.ts';\n"],
  ['test/app/remove.test.ts', "import { move } from '../../src/app/move.ts';\n"],
  ['test/app/late.test.ts', "const { move } = await import('../../src/app/move.ts');\n"],
  ['test/core/run.test.ts', "const words = ['run'];"],
  ['test/app/helper.ts', "import { PROGRAM } from '../support/cli.ts';\nexport const helper = PROGRAM;\n"],
  ['test/core/state.test.ts', "import { ROOT } from '../support/store.ts';\njoin(ROOT, '.ci', 'quiet.mjs');\n"],
  ['test/fuzz/move.test.ts', "import { move } from '../../src/app/move.ts';\n"],
  ['test/support/store.ts', "export const LIBRARY = join(ROOT, 'dist', 'index.cjs');\n"],
]);

test.each([
  [['src/app/move.ts'], ['late', 'move-many', 'move', 'remove'].map((name) => `test/app/${name}.test.ts`)],
  [
    ['src/core/state.ts', 'test/app/late.test.ts'],
    ['test/app/late.test.ts', 'test/core/state.test.ts'],
  ],
  [['test/app/helper.ts'], ['test/app/move.test.ts']],
  [['.ci/quiet.mjs', '.ci/run'], ['test/core/state.test.ts']],
  [['test/support/store.ts', 'package.json', 'README.md', 'src/app/mov.ts'], []],
])('next to %j', (changed, wanted) => {
  expect(nearTests(changed, FILES)).toEqual(wanted);
});

test.each([
  ['test/app/move.test.ts', true],
  ['test/app/move-many.test.ts', false],
  ['test/core/state.test.ts', false],
])('%s needs what the build makes: %s', (path, wanted) => {
  expect(needsBuild(path, FILES)).toBe(wanted);
});
