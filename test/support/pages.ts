// The pages for users, and a folder in which the commands of a page are run as in one terminal.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './store.ts';

const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });

/** Every page for users, by its path below the root. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...docs
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

export interface Terminal {
  /** All that the terminal may write to: the home folder. */
  home: string;
  /** The project in which it runs. */
  directory: string;
  environment: NodeJS.ProcessEnv;
}

/** Makes a home with the program on PATH, and in it an empty project with what is shipped beside ctx. */
export function makeTerminal(): Terminal {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'ctx-page-')));
  const directory = join(home, 'acme-http');
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(directory, 'node_modules'), { recursive: true });
  symlinkSync(join(ROOT, 'dist/ctx.cjs'), join(home, 'bin/ctx'));
  symlinkSync(ROOT, join(directory, 'node_modules/ctx'));
  cpSync(join(ROOT, '.ctx-example'), join(directory, '.ctx-example'), { recursive: true });
  const transcript = 'fixtures/claude-code/retry-backoff.jsonl';
  mkdirSync(dirname(join(directory, transcript)), { recursive: true });
  copyFileSync(join(ROOT, transcript), join(directory, transcript));
  if (spawnSync('git', ['init', '-q', directory]).status !== 0) throw new Error('git init failed');
  return {
    home,
    directory,
    environment: { ...process.env, HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}` },
  };
}
