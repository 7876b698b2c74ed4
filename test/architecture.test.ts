// The floors hold: who imports whom, what core may not touch, and that each of these rules can fail.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkArchitecture, folderGraph, type Sources, smallFiles, type Violation } from './support/architecture.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every TypeScript file in these folders of the project. */
function readSources(...folders: string[]): Sources {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const files = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => path.endsWith('.ts'));
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const { isLoadedAlone } = (await import(new URL('../.ci/program-parts.mjs', import.meta.url).href)) as {
  isLoadedAlone: (path: string, importer: string) => boolean;
};

test('the project keeps its own rules', () => {
  const sources = readSources('bin', 'src');
  expect(Object.keys(sources).length).toBeGreaterThan(0);
  expect(checkArchitecture(sources)).toEqual([]);
});

test('a short file with one importer is a part of it, unless the build loads it on its own', () => {
  expect(smallFiles(readSources('bin', 'src'), isLoadedAlone)).toEqual([]);
});

test('the folders of the project have an order in which each imports only those before it', () => {
  const sources = readSources('bin', 'src');
  const folders = new Set(Object.keys(sources).map((path) => path.slice(0, path.lastIndexOf('/'))));
  const graph = folderGraph(sources);
  process.stdout.write(
    `${graph.map(([folder, imports]) => `${folder} ─▶ ${imports.join(', ') || 'nothing'}`).join('\n')}\n`,
  );
  expect(graph.map(([folder]) => folder).sort()).toEqual([...folders].sort());
});

test('the graph of folders leaves out a ring', () => {
  const graph = folderGraph({
    'src/core/a.ts': "import './b/c.ts'\n",
    'src/core/b/c.ts': "import '../d/e.ts'\n",
    'src/core/d/e.ts': "import '../b/c.ts'\n",
    'src/core/f/g.ts': '',
  });
  expect(graph).toEqual([['src/core/f', []]]);
});

test('long test files are noted, not refused', () => {
  for (const [path, text] of Object.entries(readSources('test'))) {
    const lines = text.split('\n').length;
    if (lines > 300) console.warn(`note: ${path} has ${lines} lines`);
  }
});

/** A small project that breaks no rule, to plant one violation in. */
const sound: Sources = {
  'bin/ctx.ts': "// The entry.\nimport { main } from '../src/cli/main.ts'\nvoid main()\n",
  'src/index.ts':
    "// The library.\nexport { start } from './app/start.ts'\nexport type { State } from './core/state.ts'\n",
  'src/cli/main.ts':
    "// Runs a command.\nimport { write } from '../platform/stdio.ts'\nexport const main = async () => write((await import('./commands/start.ts')).run())\n",
  'src/cli/commands/start.ts':
    "// One command.\nimport { Command } from 'commander'\nimport { start } from '../../app/start.ts'\nexport const run = () => start(Command)\n",
  'src/app/start.ts':
    "// Starts.\nimport * as z from 'zod/mini'\nimport { git } from '../git/git.ts'\nimport { now } from '../platform/clock.ts'\nimport { parse } from '../agents/one.ts'\nexport const start = (x: unknown) => [z, git, now, parse, x]\n",
  'src/git/git.ts':
    "// Git.\nimport { log } from 'isomorphic-git'\nimport { now } from '../platform/clock.ts'\nexport const git = [log, now]\n",
  'src/agents/one.ts': "// An agent.\nimport { state } from '../core/state.ts'\nexport const parse = state\n",
  'src/platform/clock.ts':
    "// The clock.\nimport type { State } from '../core/state.ts'\nexport const now = (): State => Date.now()\n",
  'src/platform/stdio.ts': '// Output.\nexport const write = (text: unknown) => process.stdout.write(String(text))\n',
  'src/core/state.ts':
    "// A state.\nimport type { Name } from './name.ts'\nexport type State = number | Name\nexport const state = Buffer.from('x')\nexport const at = (time: number) => ({ date: new Date(time), process: 1, 'console.log': '// process.exit' }.process)\n",
  'src/core/name.ts':
    '/** A name: Date.now(), process, node:fs and require() may be talked about. */\nexport type Name = string\n',
};

/** Returns the violations once a file is added, or its text is put behind that of the sound one. */
function plant(path: string, text: string): Violation[] {
  return checkArchitecture({ ...sound, [path]: (sound[path] ?? '// A caption.\n') + text });
}

const importOf = (specifier: string): string => `import { x } from '${specifier}'\n`;

test('a sound project has no violations', () => {
  expect(checkArchitecture(sound)).toEqual([]);
});

describe('who may import whom', () => {
  test.each([
    ['bin/ctx.ts', '../src/app/start.ts'],
    ['bin/ctx.ts', '../src/core/state.ts'],
    ['src/index.ts', './git/git.ts'],
    ['src/index.ts', './platform/clock.ts'],
    ['src/index.ts', './cli/main.ts'],
    ['src/cli/main.ts', '../git/git.ts'],
    ['src/cli/main.ts', '../agents/one.ts'],
    ['src/cli/main.ts', '../platform/clock.ts'],
    ['src/app/start.ts', '../cli/main.ts'],
    ['src/app/start.ts', '../index.ts'],
    ['src/git/git.ts', '../app/start.ts'],
    ['src/git/git.ts', '../agents/one.ts'],
    ['src/agents/one.ts', '../platform/clock.ts'],
    ['src/agents/one.ts', '../git/git.ts'],
    ['src/platform/clock.ts', '../git/git.ts'],
    ['src/core/state.ts', '../platform/clock.ts'],
    ['src/core/state.ts', '../../bin/ctx.ts'],
  ])('%s does not import %s', (path, specifier) => {
    expect(plant(path, importOf(specifier))).toContainEqual({ path, rule: 'floor', found: specifier });
  });

  test.each([
    ["import type { x } from '../git/git.ts'"],
    ["import { type x } from '../git/git.ts'"],
    ["export { x } from '../git/git.ts'"],
    ["export * from '../git/git.ts'"],
    ["export type * from '../git/git.ts'"],
    ["import '../git/git.ts'"],
    ["export const x = () => import('../git/git.ts')"],
    ["export type X = import('../git/git.ts').X"],
    ["export const x = require('../git/git.ts')"],
  ])('every way to import counts: %s', (text) => {
    const violation = { path: 'src/cli/main.ts', rule: 'floor', found: '../git/git.ts' };
    expect(plant('src/cli/main.ts', text)).toEqual([violation]);
  });

  describe.each(['secrets', 'language'])('%s is imported through its door', (room) => {
    const files = { [`src/${room}/index.ts`]: '// The door.\n', [`src/${room}/rules.ts`]: '// Inside.\n' };
    const importing = (path: string, text: string): Violation[] =>
      checkArchitecture({ ...sound, ...files, [path]: (sound[path] ?? '// A caption.\n') + text });

    test('other rooms may import its index.ts', () => {
      expect(importing('src/app/start.ts', importOf(`../${room}/index.ts`))).toEqual([]);
    });

    test.each([
      "import { x } from '@'",
      "import type { x } from '@'",
      "export * from '@'",
      "export const x = () => import('@')",
      "export type X = import('@').X",
    ])('other rooms import no other file of it: %s', (text) => {
      const specifier = `../${room}/rules.ts`;
      expect(importing('src/app/start.ts', text.replace('@', specifier))).toEqual([
        { path: 'src/app/start.ts', rule: 'door', found: specifier },
      ]);
    });

    test('its own files import each other', () => {
      expect(importing(`src/${room}/find.ts`, importOf('./rules.ts'))).toEqual([]);
    });
  });

  test('every floor may import types of core, and only types of core', () => {
    expect(plant('bin/ctx.ts', "import type { State } from '../src/core/state.ts'\n")).toEqual([]);
    expect(plant('bin/ctx.ts', "import type { x } from '../src/app/session/start.ts'\n")).toHaveLength(1);
  });

  test('a file lies on a floor, and an import leads to a file', () => {
    expect(plant('src/util/x.ts', '')).toEqual([{ path: 'src/util/x.ts', rule: 'floor', found: 'a file of no floor' }]);
    expect(plant('src/cli/main.ts', importOf('./gone.ts'))).toEqual([
      { path: 'src/cli/main.ts', rule: 'import', found: './gone.ts' },
    ]);
    expect(plant('src/cli/main.ts', 'export const x = (name: string) => import(name)\n')).toEqual([
      { path: 'src/cli/main.ts', rule: 'import', found: 'import(name)' },
    ]);
  });

  test('files do not import each other in a ring, not even for types', () => {
    expect(plant('src/core/name.ts', "export type { State } from './state.ts'\n")).toEqual([
      { path: 'src/core/name.ts', rule: 'cycle', found: 'src/core/name.ts > src/core/state.ts' },
    ]);
  });

  test('folders do not import each other in a ring', () => {
    expect(
      checkArchitecture({
        ...sound,
        'src/agents/one.ts': "// An agent.\nimport { name } from './contract/name.ts'\nexport const parse = name\n",
        'src/agents/contract/name.ts': "// A name.\nimport type { x } from '../other.ts'\nexport const name = 1\n",
        'src/agents/other.ts': '// Another.\nexport type x = 1\n',
      }),
    ).toEqual([{ path: 'src/agents', rule: 'folder cycle', found: 'src/agents > src/agents/contract' }]);
  });

  test('what is loaded later may import what loads it', () => {
    expect(plant('src/cli/commands/start.ts', "import type { main } from '../main.ts'\n")).toEqual([]);
  });
});

test('git knows no name of a ref of sessions', () => {
  const found = (text: string): string[] => plant('src/git/git.ts', text).map((violation) => violation.found);
  expect(found("export const folder = 'refs/sessions/'\n")).toEqual(['refs/sessions']);
  expect(found('/** Reads refs/archive. */\n')).toEqual(['refs/archive']);
  expect(found('export const archiveRef = (id: string) => id\n')).toEqual(['archiveRef']);
  expect(found("export const main = 'refs/heads/main'\n")).toEqual([]);
  expect(plant('src/app/start.ts', "export const folder = 'refs/sessions/'\n")).toEqual([]);
});

describe('packages', () => {
  test.each([
    ['src/app/start.ts', 'isomorphic-git'],
    ['src/cli/main.ts', 'isomorphic-git/http/node'],
    ['src/app/start.ts', 'commander'],
    ['src/app/start.ts', 'chalk'],
    ['bin/ctx.ts', 'ora'],
    ['src/git/git.ts', 'zod/mini'],
    ['src/platform/clock.ts', 'zod'],
    ['src/cli/main.ts', 'fs'],
    ['src/cli/main.ts', '@someone/unknown'],
  ])('%s does not use %s', (path, specifier) => {
    expect(plant(path, importOf(specifier))).toEqual([{ path, rule: 'package', found: specifier }]);
  });
});

describe.each(['core', 'language', 'secrets'])('%s is pure', (folder) => {
  test.each([
    ["import { readFileSync } from 'node:fs'", 'node:fs'],
    ["import type { Stats } from 'node:fs'", 'node:fs'],
    ['export const x = process.env', 'process'],
    ['export const x = { process }', 'process'],
    ['export const x = Date.now()', 'Date.now'],
    ['export const x = Date\n  .now()', 'Date.now'],
    ['export const x = new Date()', 'new Date()'],
    ['export const x = new Date', 'new Date()'],
    ['export const x = Date()', 'Date()'],
    ['export const x = Math.random()', 'Math.random'],
    ['setTimeout(() => 1)', 'setTimeout'],
    ['export const x = setInterval', 'setInterval'],
    ["export const x = require('zod')", 'require'],
    ['export const x = performance.now()', 'performance'],
    ['export const x = globalThis', 'globalThis'],
    ['export const x = crypto.randomUUID()', 'crypto'],
    ['export async function x() {}', 'async'],
    ['export const x = async () => 1', 'async'],
    ["export const x = () => import('./name.ts')", 'import()'],
  ])('%s', (text, found) => {
    const path = `src/${folder}/state.ts`;
    expect(plant(path, text)).toContainEqual({ path, rule: 'purity', found });
  });
});

describe('only cli prints', () => {
  const texts = [
    ["console.log('x')", 'console.log'],
    ["process.stdout.write('x')", 'process.stdout.write'],
    ["process.stderr.write('x')", 'process.stderr.write'],
  ] as const;
  const quiet = ['src/app/start.ts', 'src/git/git.ts', 'src/agents/one.ts', 'src/platform/clock.ts', 'src/index.ts'];
  test.each(quiet.flatMap((path) => texts.map(([text, found]) => [path, text, found] as const)))(
    '%s: %s',
    (path, text, found) => expect(plant(path, text)).toEqual([{ path, rule: 'print', found }]),
  );
  test.each(texts)('cli may: %s', (text) => expect(plant('src/cli/main.ts', text)).toEqual([]));
});

describe('every file', () => {
  test.each([
    ["import { x } from 'zod'\n// Too late.\n"],
    ['//\n'],
    ['/**\n * On the second line.\n */\n'],
    ['/* Not this kind. */\n'],
    [''],
  ])('begins with its caption: %j', (text) => {
    const violations = checkArchitecture({ ...sound, 'src/app/other.ts': text });
    expect(violations).toEqual([{ path: 'src/app/other.ts', rule: 'caption', found: text.slice(0, 40) }]);
  });

  test('has at most 400 lines', () => {
    expect(plant('src/app/other.ts', '\n'.repeat(399))).toEqual([]);
    expect(plant('src/app/other.ts', '\n'.repeat(400))).toEqual([
      { path: 'src/app/other.ts', rule: 'length', found: '401 lines' },
    ]);
  });

  test('is a part of its importer if it is short, has no other one, and is loaded with it', () => {
    const at = (lines: number, importing: string, more: Sources = {}): Sources => ({
      'src/app/large.ts': `// A large file.\n${importing}\n${'\n'.repeat(lines - 2)}`,
      'src/app/small.ts': '// A small file.\n',
      ...more,
    });
    const plain = "import { x } from './small.ts'";
    expect(smallFiles(at(100, plain))).toEqual([['src/app/small.ts', 'src/app/large.ts']]);
    expect(smallFiles(at(400, plain))).toEqual([]);
    expect(smallFiles(at(100, plain, { 'src/app/third.ts': `// A third.\n${plain}\n` }))).toEqual([]);
    expect(smallFiles(at(100, plain, { 'src/app/small.ts': `// Longer.${'\n'.repeat(40)}` }))).toEqual([]);
    expect(smallFiles(at(100, "export const x = () => import('./small.ts')"))).toEqual([]);
    expect(smallFiles(at(100, plain), (path) => path === 'src/app/small.ts')).toEqual([]);
    expect(smallFiles({ 'src/cli/table.ts': "import './x.ts'\n", 'src/cli/x.ts': '// A command.\n' })).toEqual([]);
    expect(smallFiles({ 'src/cli/x.ts': "import '../app/y.ts'\n", 'src/app/y.ts': '// A use case.\n' })).toEqual([]);
  });

  test('can be read', () => {
    expect(plant('src/app/other.ts', 'const = 1').map(({ rule }) => rule)).toEqual(['syntax']);
  });
});
