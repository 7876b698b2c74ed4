// Before the tests: builds dist/ if it is missing or older than what it is made of, and makes room for templates.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['bin', 'src', '.ci', 'rolldown.config.mjs', 'package.json', 'package-lock.json'];

/** When this file, or anything in this folder, last changed; 0 if it does not exist. A deletion changes its folder. */
function changedAt(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

/** Gives what takes the templates away. */
export default function setup(project: TestProject): () => void {
  // Set by `npm run test:near` if none of its tests runs what the build makes.
  if (process.env['SKIP_BUILD'] !== '1') build();
  const templates = mkdtempSync(join(realpathSync(tmpdir()), 'ctx-templates-'));
  project.provide('templates', templates);
  return () => rmSync(templates, { recursive: true, force: true });
}

function build(): void {
  const newestSource = Math.max(...sources.map((path) => changedAt(join(root, path))));
  const oldestOutput = Math.min(
    ...['ctx', 'main', 'hook', 'index', 'ingest-thread'].map((name) => changedAt(join(root, 'dist', `${name}.cjs`))),
  );
  if (oldestOutput > newestSource) return;
  const run = (...words: string[]): void => {
    execFileSync(process.execPath, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  run(join(root, 'node_modules/rolldown/bin/cli.mjs'), '-c', 'rolldown.config.mjs');
  run(join(root, '.ci/warm-cache.mjs'));
}
