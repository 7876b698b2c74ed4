/** The home folder of a case: none, but for what reads the transcripts that an agent keeps there. */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';

/** The transcripts of a project, as Claude Code would have written them in it. */
const TRANSCRIPTS = ['rewind.jsonl', 'questions.jsonl'];

/** When they were, in Unix seconds: before the recorded time of everything. */
const WRITTEN = 1_769_000_000;

/** The home folder for a command line: each copy of a project has a path, and so conversations, of its own. */
export function homeOf(project: string, words: readonly string[]): string {
  const home = join(project, 'home');
  if (words[0] === 'doctor') {
    // One that cannot be listed would be a problem of its own.
    mkdirSync(home, { recursive: true });
    return home;
  }
  // Transcripts that an agent resumes are put there.
  if (words[0] === 'export') return home;
  if (words[0] !== 'capture') return '/dev/null/home';
  const folder = join(home, '.claude', 'projects', folderNameOf(project));
  mkdirSync(folder, { recursive: true });
  for (const name of TRANSCRIPTS) {
    const text = readFileSync(join(project, name), 'utf8');
    const path = join(folder, name);
    writeFileSync(path, text.replaceAll('"cwd":"/home/dev/acme-http"', `"cwd":${JSON.stringify(project)}`));
    utimesSync(path, WRITTEN, WRITTEN);
  }
  return home;
}
