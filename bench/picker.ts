/**
 * Measures the picker of `ctx resume` in a pseudo-terminal: its first picture, and each key from the moment it is typed until the picture is
 * drawn: `npx tsx bench/picker.ts [sessions] [runs]`. The rows are loaded before anything is drawn: that is measured by itself, too.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT, PROGRAM, ROOT, runCtx, runNode } from './program.ts';
import { makeWorkshop } from './project.ts';
import { median, quantile } from './statistics.ts';

const [sessions = '10000', runs = '11'] = process.argv.slice(2);
/** Limits in milliseconds. */
const [FIRST, KEY] = [150, 30];
/** Text that every picture ends with. */
const END = 'Esc leave';
const [DOWN, TAB, BACK, LEAVE] = ['\u001b[B', '\t', '\u007f', '\u0003'];
/** Keys as somebody types who looks for a session, with a slip. */
const KEYS = [...'retry haeder 77', DOWN, DOWN, BACK, BACK, TAB, TAB, ...'42'];
/** Time between two keys of somebody who types fast, in milliseconds: what was said is searched in between. */
const PACE = 120;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A picker in a terminal of its own. */
class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  #shown = '';
  #seen: (() => void) | undefined;

  constructor(project: string) {
    const line = `stty cols 100 rows 40; exec ${process.execPath} ${PROGRAM} resume --no-launch`;
    const env = { ...ENVIRONMENT, TERM: 'xterm' };
    this.#child = spawn('script', ['-qec', line, '/dev/null'], { cwd: project, env });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += text;
      if (this.#shown.includes(END)) this.#seen?.();
    });
  }

  /** Waits for a picture that is drawn after this. */
  picture(): Promise<void> {
    this.#shown = '';
    return new Promise((resolve) => {
      this.#seen = resolve;
    });
  }

  /** Types a key. @returns the time until its picture is there, in milliseconds */
  async press(key: string): Promise<number> {
    const before = performance.now();
    const drawn = this.picture();
    this.#child.stdin.write(key);
    await drawn;
    return performance.now() - before;
  }

  async leave(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin.write(LEAVE);
    await ended;
  }
}

interface Figures {
  node: number;
  first: number;
  keys: number[];
  paced: number[];
}

async function measure(project: string): Promise<Figures> {
  const node = runNode(project, '-e', '0').milliseconds;
  const before = performance.now();
  const terminal = new Terminal(project);
  await terminal.picture();
  const first = performance.now() - before;
  const keys: number[] = [];
  for (const key of KEYS) keys.push(await terminal.press(key));
  await terminal.leave();
  const slow = new Terminal(project);
  await slow.picture();
  const paced: number[] = [];
  for (const key of KEYS) {
    paced.push(await slow.press(key));
    await pause(PACE);
  }
  await slow.leave();
  return { node, first, keys, paced };
}

const workshop = makeWorkshop();
const project = join(workshop, 'picker');
mkdirSync(project);
runNode(ROOT, '--import', 'tsx', join(ROOT, 'bench', 'ended-store.ts'), project, sessions);
runCtx(project, 'reindex');
const few = join(workshop, 'few');
mkdirSync(few);
runNode(ROOT, '--import', 'tsx', join(ROOT, 'bench', 'ended-store.ts'), few, '10');
runCtx(few, 'reindex');

const many: Figures[] = [];
const none: Figures[] = [];
for (let run = 0; run <= Number(runs); run += 1) {
  const [of, ofFew] = [await measure(project), await measure(few)];
  // The first round warms the caches.
  if (run > 0) [many, none].forEach((list, index) => void list.push(index === 0 ? of : ofFew));
}
const of = (list: readonly Figures[], pick: (figures: Figures) => number): string => median(list.map(pick)).toFixed(0);
const spread = (values: readonly number[]): string =>
  `median ${median(values).toFixed(1)} ms, 95th percentile ${quantile(values, 0.95).toFixed(1)} ms, worst ${Math.max(...values).toFixed(1)} ms`;
const first = Number(of(many, (figures) => figures.first));
say(`node -e 0: ${of(many, ({ node }) => node)} ms`);
say(
  `first picture at ${sessions} sessions: ${first} ms (limit ${FIRST}); at 10 sessions: ${of(none, (figures) => figures.first)} ms`,
);
const keys = many.flatMap((figures) => figures.keys);
const paced = many.flatMap((figures) => figures.paced);
say(`a key as soon as the one before is drawn (limit ${KEY}): ${spread(keys)}`);
say(`a key every ${PACE} ms: ${spread(paced)}`);
say(`a key at 10 sessions: ${spread(none.flatMap((figures) => figures.keys))}`);
for (const [index, key] of KEYS.entries())
  say(
    `  ${JSON.stringify(key)}: ${of(many, (figures) => figures.keys[index] as number)} ms, paced ${of(many, (figures) => figures.paced[index] as number)} ms`,
  );
if (first > FIRST || quantile(keys, 0.95) > KEY) process.exitCode = 1;
