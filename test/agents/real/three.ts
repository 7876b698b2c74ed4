/**
 * Takes one program through three conversations in a row, without a command of ctx: two are finished, and the third is broken off. `ctx log` has to
 * have the finished ones by then, and nothing of ctx may come before the prompt of the user.
 */
import { type Ground, playOn } from './ground.ts';
import type { Program } from './programs.ts';
import { runProgram } from './start.ts';
import type { Chapter } from './story.ts';
import type { Turn } from './wire.ts';

/** The conversations: each has a prompt alone. */
export const THREE: readonly Chapter[] = [
  {
    prompt: 'Please add retry with backoff to the HTTP client',
    command: 'echo 12 tests pass',
    answer: 'Retry with backoff is in, and 12 tests pass.',
  },
  {
    prompt: 'Fix the date parser, it takes 2026-02-30',
    command: 'echo 9 tests pass',
    answer: 'The parser refuses days that do not exist, and 9 tests pass.',
  },
  { prompt: 'Write the changelog of version 2', answer: 'First I look at the commits', interrupted: true },
];
/** Titles in `ctx log`, the newest first. */
const TITLES = ['Fix the date parser, it takes 2026-02-30', 'add retry with backoff to the HTTP client'];

interface Entry {
  title: string;
}

/** Returns what did not hold. */
export const playThree = (program: Program): Promise<string[]> =>
  playOn(program, THREE, (ground) => play(program, ground));

async function play(program: Program, { place, env, server, ctx, check }: Ground): Promise<void> {
  for (const { prompt, answer, interrupted } of THREE) {
    const ran = await runProgram(program, program.words(prompt, false), place, env, server);
    check(ran.ended, `${program.bin} did not end in time at “${prompt}”: ${ran.printed}`);
    check(interrupted === true || ran.printed.includes(answer), `no answer to “${prompt}”: ${ran.printed}`);
  }
  const { result } = JSON.parse(ctx('--json', 'log')) as { result: Entry[] };
  const titles = result.map(({ title }) => title);
  check(JSON.stringify(titles) === JSON.stringify(TITLES), `ctx log has ${titles.join('; ') || 'nothing'}`);
  const open = JSON.parse(ctx('--json', 'list', '--open')) as { result: Entry[] };
  check(open.result.length === 1, `${open.result.length} sessions are open`);
  for (const { turns } of server.asked)
    for (const text of ordersIn(turns)) check(false, `this comes before a prompt: ${text}`);
}

/** Words of an order to the agent. */
const ORDER = /before anything else|you must|ask the user|do not (?:answer|continue|proceed)/i;

/** Returns the words of ctx that are an order and come before a prompt of the user. */
function ordersIn(turns: readonly Turn[]): string[] {
  const last = turns.findLastIndex(
    (turn) => turn.type === 'user' && THREE.some(({ prompt }) => turn.text.includes(prompt)),
  );
  return turns.slice(0, last + 1).flatMap((turn) => {
    if (turn.type !== 'user' || !/\bctx\b/.test(turn.text)) return [];
    const before = THREE.reduce((text, { prompt }) => text.split(prompt)[0] ?? '', turn.text);
    const own = before.slice(Math.max(0, before.search(/\bctx\b/)));
    return ORDER.test(own) ? [own.slice(0, 300)] : [];
  });
}
