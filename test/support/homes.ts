/** Homes of agents to test with: transcripts as Claude Code keeps them, of a project of the test's own. */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { ROOT } from './store.ts';

/** The folder that the conversations of the fixtures took place in. */
const PLACE = '"cwd":"/home/dev/acme-http"';
const FIXTURES = join(ROOT, 'fixtures', 'claude-code');

/** The text of a fixture, as if it had taken place in a folder. */
export const conversation = (name: string, cwd: string): string =>
  readFileSync(join(FIXTURES, name), 'utf8').replaceAll(PLACE, `"cwd":${JSON.stringify(cwd)}`);

/** Puts a text where Claude Code keeps the transcripts of a folder; gives the path. */
export function putTranscript(home: string, cwd: string, name: string, text: string, writtenAt?: number): string {
  const folder = join(home, '.claude', 'projects', folderNameOf(cwd));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, text);
  if (writtenAt !== undefined) utimesSync(file, writtenAt, writtenAt);
  return file;
}

/** The first lines of a text that have these prompts, and no more. */
export const linesOf = (text: string, count: number): string => `${text.split('\n').slice(0, count).join('\n')}\n`;

/** Writes a file, and the folders that it lies in; gives its path. */
export function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
