// The parts of the program: how modules are put into them, and that no hot command loads a part that it does not need.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Run {
  program: 'hook' | 'main';
  name: string;
  parts: string[];
}
type Parts = Record<string, Record<string, string[]>>;

const root = fileURLToPath(new URL('..', import.meta.url));
const load = (file: string): Promise<unknown> => import(new URL(`../.ci/${file}`, import.meta.url).href);
const { PARTS_FILE, partsOf } = (await load('program-parts.mjs')) as {
  PARTS_FILE: string;
  partsOf: (runs: (Run & { modules: string[] })[]) => Parts;
};
const { runCommands } = (await load('hot-commands.mjs')) as {
  runCommands: (program: string, isHotOnly: boolean) => (Run & { loaded: string[] })[];
};

const REMEDY = 'record the parts again: npm run parts:write';

test('a module lies in the part that the fewest commands load, of those that all of its commands may load', () => {
  const run = (parts: string[], modules: string[]): Run & { modules: string[] } => ({
    ...{ program: 'main', name: parts.join(' '), parts: ['core', ...parts], modules },
  });
  const runs = [
    run([], ['all']),
    run(['observe'], ['all', 'observe only', 'observe and flush', 'observe and ask']),
    run(['steps'], ['all', 'observe and flush', 'flush and ask']),
    run(['observe', 'steps'], ['all', 'observe and ask', 'flush and ask']),
    run(['observe', 'steps', 'rare'], ['all', 'once']),
  ];
  expect(partsOf(runs)).toEqual({
    main: {
      core: ['all', 'observe and flush'],
      observe: ['observe and ask', 'observe only'],
      steps: ['flush and ask'],
    },
    hook: {},
  });
});

test('every module in the record is there', () => {
  const recorded = Object.values(JSON.parse(readFileSync(PARTS_FILE, 'utf8')) as Parts).flatMap((parts) =>
    Object.values(parts).flat(),
  );
  expect(recorded.length).toBeGreaterThan(100);
  expect(
    recorded.filter((module) => !existsSync(join(root, module))),
    REMEDY,
  ).toEqual([]);
});

test('a hot command loads its own parts and no other', () => {
  const dist = join(root, 'dist');
  const partOf = (file: string): string => {
    const name = file.slice(dist.length + 1).replace(/^(?:chunks|hook)\/|\.cjs$/g, '');
    return name === 'main' || name === 'hook.cjs' || name === 'hook' ? 'core' : name;
  };
  const others = runCommands(join(dist, 'ctx.cjs'), true)
    // The first prompt of a conversation begins a session: it may load anything.
    .filter(({ parts }) => !parts.includes('rare') && !parts.includes('other'))
    .map(({ name, parts, loaded }) => [name, loaded.map(partOf).filter((part) => !parts.includes(part))]);
  expect(others.length).toBeGreaterThan(15);
  expect(
    others.filter(([, more]) => more?.length),
    REMEDY,
  ).toEqual([]);
});

test('a hook without options loads no parser of command lines', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctx-parser-'));
  try {
    const probe = join(folder, 'probe.cjs');
    writeFileSync(probe, `process.on('exit', () => console.log(JSON.stringify(process.moduleLoadList)));`);
    const loadedBy = (...words: string[]): string => {
      const line = ['-r', probe, join(root, 'dist', 'ctx.cjs'), 'hook', ...words];
      const ran = spawnSync(process.execPath, line, { cwd: folder, input: '{}', encoding: 'utf8' });
      expect(ran.status).toBe(0);
      return ran.stdout;
    };
    expect(loadedBy('claude-code')).not.toContain('parse_args');
    expect(loadedBy('claude-code', '--permissions')).toContain('parse_args');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('no part loads another one for the sake of loading it', () => {
  const dist = join(root, 'dist');
  const files = [
    'hook.cjs',
    'main.cjs',
    ...['hook', 'chunks'].flatMap((name) => readdirSync(join(dist, name)).map((file) => join(name, file))),
  ];
  const loading = files
    .filter((file) => file.endsWith('.cjs'))
    .filter((file) => /[;,}]require\("\.[^"]+"\)[;,]/.test(readFileSync(join(dist, file), 'utf8')));
  expect(loading).toEqual([]);
});
