/** Defines the actions of a crowd: its command lines, the promise of each once it is answered, and the ways to kill it. */
import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflate, frame, loosePath, sha1 } from '../../src/git/objects/loose.ts';
import { told } from './scenarios.ts';
import { transcriptOfWrite } from './transcript.ts';

/** One command of the crowd. */
export interface Errand {
  words: readonly string[];
  input?: string;
  /** Changes the project just before. */
  before?: (project: string) => void;
  /** A text that a record holds, once it is answered that this is done. */
  text?: string;
  /** Name of the event under which hooks note a failure. */
  event?: string;
}

/** The conversation whose tools are used all along. */
export const CONVERSATION = 'c0ffee00-dc1e-40d0-a2f3-5de6b9861c40';

const hook = (event: string, session_id: string, fields: object, text: string): Errand => ({
  words: ['hook', 'claude-code'],
  input: told(event, { session_id, transcript_path: '', ...fields }),
  text,
  event,
});

/** A tool that was used: its record waits for the next flush of its session. */
function ranTool(name: string): Errand {
  const command = `npm run tool-of-${name}`;
  const tool = { tool_name: 'Bash', tool_use_id: `toolu-${name}`, tool_input: { command } };
  return hook('PostToolUse', CONVERSATION, { ...tool, tool_response: { stdout: 'ok', stderr: '' } }, command);
}

/** The conversation that a name stands for. */
const conversationOf = (name: string): string => {
  const hash = sha1(Buffer.from(name));
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};

/** A transcript of its own, about a file whose content the store holds already, where no pointer leads to it any more. */
function ingest(name: string): Errand {
  const content = `export const name = '${name}';\n`;
  const path = `${name}.jsonl`;
  const before = (project: string): void => {
    writeFileSync(join(project, path), transcriptOfWrite('src/named.ts', content, conversationOf(`ingest ${name}`)));
    leaveBehind(project, content);
  };
  return { words: ['ingest', path], before };
}

/** Number of times that a folder is made which Git takes away. */
const TRIES = 100;

/** Puts an object into a store that is older than what any prune leaves alone. */
function leaveBehind(project: string, content: string): void {
  const framed = frame('blob', Buffer.from(content));
  const path = loosePath(join(project, '.ctx', 'objects'), sha1(framed));
  // In the project: Git takes old temporaries out of a store.
  const temporary = join(project, `object-${sha1(framed)}`);
  writeFileSync(temporary, deflate(framed), { mode: 0o600 });
  utimesSync(temporary, 0, 0);
  for (let left = TRIES; ; left -= 1) {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      renameSync(temporary, path);
      return;
    } catch (error) {
      // Git takes empty folders out of a store, too.
      if (left === 0 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Chooses the next action of a process of the crowd, by a number from 0 to 1. */
export function chooseErrand(random: () => number, name: string): Errand {
  const dashed = name.replaceAll(' ', '-');
  const errands: [weight: number, make: () => Errand][] = [
    [0.21, () => ({ words: ['observe', 'note', `note of ${name}`], text: `note of ${name}` })],
    [0.06, () => ({ words: ['observe', 'read', 'src/client.ts'] })],
    [0.14, () => ({ words: ['stage', 'flush'] })],
    [0.04, () => ({ words: ['stage', 'status'] })],
    [0.05, () => ({ words: ['stage', 'ask', `question of ${name}`], text: `question of ${name}` })],
    [0.05, () => ({ words: ['stage', 'respond', `answer of ${name}`], text: `answer of ${name}` })],
    [0.03, () => ({ words: ['stage', 'interrupt', `words of ${name}`], text: `words of ${name}` })],
    [0.03, () => ({ words: ['stage', 'continue'] })],
    [0.04, () => ({ words: ['stage', 'compact', '-m', `work of ${name}`] })],
    [0.05, () => ({ words: ['stage', 'start', `task of ${name}`], text: `task of ${name}` })],
    [0.06, () => ranTool(dashed)],
    [0.04, () => hook('UserPromptSubmit', conversationOf(name), { prompt: `Prompt of ${name}` }, `Prompt of ${name}`)],
    [0.06, () => ingest(dashed)],
    [0.02, () => ({ words: ['gc'] })],
    [0.03, () => ({ words: ['undo'] })],
    [0.02, () => ({ words: ['fsck', '--repair'] })],
    [0.01, () => ({ words: ['message', '--as', 'new-task', `new task of ${name}`] })],
    [0.02, () => ({ words: ['choose', 'continue'] })],
    [0.02, () => ({ words: ['message', '--as', 'modification', `message of ${name}`], text: `message of ${name}` })],
  ];
  let left = random();
  for (const [weight, make] of errands) {
    left -= weight;
    if (left < 0) return make();
  }
  return { words: ['stage', 'start', '--beside', `task beside of ${name}`], text: `task beside of ${name}` };
}

/** The part of the commands that is to be killed; about half of them are done before it happens. */
const DOOMED = 0.3;

/** Death of a command of the crowd: none, after some milliseconds, or at a call of its own. */
export type Death = { after: number } | { at: number } | null;

export function chooseDeath(random: () => number, words: readonly string[]): Death {
  if (random() >= DOOMED) return null;
  // About as many calls as a command makes: one that has fewer gets away.
  const calls = words[0] === 'observe' ? 16 : 70;
  return random() < 0.3 ? { after: 20 + random() * 500 } : { at: 1 + Math.floor(random() * calls) };
}
