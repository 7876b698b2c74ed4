/** Projects to measure in: a folder with a store of its own, all below one temporary folder that goes at the end. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCtx } from './program.ts';

/** Makes the temporary folder of this run; it is removed when the process ends, however it ends. */
export function makeWorkshop(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ctx-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  return folder;
}

/** Writes the settings of a project's store. */
export function writeSettings(project: string, settings: Record<string, unknown>): void {
  writeFileSync(join(project, '.ctx', 'settings.json'), `${JSON.stringify(settings)}\n`, { mode: 0o600 });
}

/** A project with a running session. */
export function makeProject(workshop: string, name: string, settings: Record<string, unknown> = {}): string {
  const project = join(workshop, name);
  mkdirSync(project);
  runCtx(project, 'init');
  writeSettings(project, settings);
  runCtx(project, 'stage', 'start', 'Add retry with exponential backoff to the HTTP client');
  return project;
}
