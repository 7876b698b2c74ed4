/** The crowd: many processes at once on one store, some of them killed, Git at work beside them; nothing acknowledged may be lost. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkLocks, checkRecovered, wordsOf } from './check.ts';
import { runHere } from './in-process.ts';
import { lostRecords, type Picture, takePicture } from './picture.ts';
import { collect, faultOf, NOW, runGit, seededRandom } from './program.ts';
import { copyProject, must, removeProject } from './stores.ts';
import type { Bench } from './sweep.ts';

export interface CrowdOptions {
  processes: number;
  rounds: number;
  /** Commands of each process in a round. */
  commands: number;
  seed: number;
}

export interface CrowdTally {
  title: string;
  commands: number;
  acknowledged: number;
  refused: number;
  busy: number;
  killed: number;
  /** Killed while LOCK was theirs. */
  holders: number;
  gitRuns: number;
  /** The longest that a command took, in milliseconds. */
  longest: number;
  losses: string[];
}

/** The part of the commands that is to be killed; about half of them are done before it happens. */
const DOOMED = 0.3;
/** Longest that a command may take: it waits 10 s for LOCK and 10 s for a lock of Git's, and the machine is crowded. */
const LONGEST = 40_000;

/** What a command line of the crowd is, by a number from 0 to 1. */
function chooseWords(random: () => number, name: string): string[] {
  const lines: [weight: number, words: string[]][] = [
    [0.32, ['observe', 'note', `note of ${name}`]],
    [0.08, ['observe', 'read', 'src/client.ts']],
    [0.2, ['stage', 'flush']],
    [0.08, ['stage', 'status']],
    [0.06, ['stage', 'ask', `question of ${name}`]],
    [0.07, ['stage', 'respond', `answer of ${name}`]],
    [0.03, ['stage', 'interrupt', `words of ${name}`]],
    [0.04, ['stage', 'continue']],
    [0.05, ['stage', 'compact', '-m', `work of ${name}`]],
    [0.07, ['stage', 'start', `task of ${name}`]],
  ];
  let left = random();
  for (const [weight, words] of lines) {
    left -= weight;
    if (left < 0) return words;
  }
  return ['stage', 'start', '--beside', `task beside of ${name}`];
}

/** What commands that were answered have promised. */
interface Promised {
  records: Map<string, readonly string[]>;
  /** Steps and canonical commits that must be reachable. */
  commits: Set<string>;
  sessions: Set<string>;
}

/** The process that LOCK names, or 0. */
function holderOf(project: string): number {
  try {
    return (JSON.parse(readFileSync(join(project, '.ctx', 'LOCK'), 'utf8')) as { pid: number }).pid;
  } catch {
    return 0;
  }
}

/** Whether a process that killed itself had LOCK in hand. */
function wasHolding(mark: string): boolean {
  if (!existsSync(mark)) return false;
  return (JSON.parse(readFileSync(mark, 'utf8')) as { hit?: { holding: boolean } }).hit?.holding === true;
}

/** How a command of the crowd is killed: not at all, after some milliseconds, or at a call of its own. */
type Death = { after: number } | { at: number } | null;

function chooseDeath(random: () => number, words: readonly string[]): Death {
  if (random() >= DOOMED) return null;
  // About as many calls as a command makes: one that has fewer gets away.
  const calls = words[0] === 'observe' ? 16 : 70;
  return random() < 0.3 ? { after: 20 + random() * 500 } : { at: 1 + Math.floor(random() * calls) };
}

interface Crowd {
  bench: Bench;
  project: string;
  tally: CrowdTally;
  promised: Promised;
}

/** Runs one command of the crowd to its end, or to its death. */
async function runOne({ bench, project, tally, promised }: Crowd, words: string[], death: Death): Promise<void> {
  const started = performance.now();
  const fault = death && 'at' in death ? death.at : 0;
  const mark = join(project, `mark-${tally.commands}-${Math.floor(started * 1000)}`);
  const child = spawn(process.execPath, ['-r', faultOf(bench.program), bench.program, '--json', ...words], {
    cwd: project,
    env: {
      PATH: process.env['PATH'],
      HOME: '/dev/null/home',
      CTX_NOW: String(NOW),
      TORTURE_STORE: join(project, '.ctx'),
      TORTURE_AT: String(fault),
      TORTURE_MARK: mark,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (holderOf(project) === child.pid) tally.holders += 1;
    child.kill('SIGKILL');
  };
  const timer = death && 'after' in death ? setTimeout(kill, death.after) : setTimeout(kill, LONGEST);
  const ended = await collect(child);
  clearTimeout(timer);
  if (ended.signal === 'SIGKILL' && wasHolding(mark)) tally.holders += 1;
  rmSync(mark, { force: true });
  const took = performance.now() - started;
  tally.commands += 1;
  tally.longest = Math.max(tally.longest, took);
  if (took > LONGEST) tally.losses.push(`ctx ${words.join(' ')} took ${Math.round(took)} ms`);
  if (ended.signal) tally.killed += 1;
  else judge(tally, promised, words, ended);
}

/** Notes what an answer promises; an answer that may not be is a loss. */
function judge(
  tally: CrowdTally,
  promised: Promised,
  words: string[],
  ended: { code: number | null; out: string; err: string },
): void {
  const said = `ctx ${words.join(' ')}: ${ended.out.slice(0, 400)}${ended.err.slice(0, 400)}`;
  if (ended.code === 4) tally.busy += 1;
  else if (ended.code === 1 && /"code":"(no_such_move|no_active_session|session_active)"/.test(ended.out))
    tally.refused += 1;
  else if (ended.code !== 0) tally.losses.push(`it ended with ${ended.code}: ${said}`);
  else {
    tally.acknowledged += 1;
    const { result } = JSON.parse(ended.out) as { result: { records?: string[]; oid?: string; session_id?: string } };
    for (const id of result.records ?? []) promised.records.set(id, []);
    if (typeof result.oid === 'string') promised.commits.add(result.oid);
    if (words[1] === 'start' && result.session_id) promised.sessions.add(result.session_id);
  }
}

/** The user's Git at work, again and again until the round is over. */
async function gitBeside(crowd: Crowd, words: readonly string[], isOver: () => boolean): Promise<void> {
  for (let run = 0; run < 10_000 && !isOver(); run += 1) {
    const { code, err } = await runGit(crowd.project, words);
    crowd.tally.gitRuns += 1;
    // Git gives up where another Git, or a ctx, holds its lock: that is its right.
    if (code !== 0 && !/\.lock|unable to (lock|update)|gc is already running|cannot lock/i.test(err))
      crowd.tally.losses.push(`git ${words.join(' ')} ended with ${code}: ${err.slice(0, 400)}`);
  }
}

/** Everything that was promised, against what is there. */
function checkPromises(promised: Promised, now: Picture): string[] {
  const problems = lostRecords(promised.records, now);
  const reachable = new Set([...now.line, ...[...now.steps.values()].flat()]);
  for (const oid of promised.commits) if (!reachable.has(oid)) problems.push(`commit ${oid} was promised, and is gone`);
  for (const id of promised.sessions)
    if (!now.sessions.has(id) && !now.archive.has(id)) problems.push(`session ${id} was promised, and is gone`);
  return problems;
}

async function settle({ project, promised }: Crowd, before: Picture): Promise<string[]> {
  try {
    const recovery = await runHere(project, ['stage', 'recover']);
    if (recovery.error) return [`recovery: ${wordsOf(recovery.error)}`];
    const { problems } = await checkRecovered(project, { before, acknowledged: promised.records });
    return [...problems, ...checkPromises(promised, takePicture(project)), ...checkLocks(project)];
  } catch (error) {
    return [wordsOf(error)];
  }
}

/** Lets the crowd loose, round after round. */
export async function runCrowd(bench: Bench, options: CrowdOptions): Promise<CrowdTally> {
  const project = copyProject(bench.templates.closed, bench.workshop);
  const title = `${options.processes} processes, ${options.rounds} rounds, seed ${options.seed}`;
  const counts = { commands: 0, acknowledged: 0, refused: 0, busy: 0, killed: 0, holders: 0, gitRuns: 0, longest: 0 };
  const tally: CrowdTally = { title, ...counts, losses: [] };
  const before = takePicture(project);
  const promised: Promised = { records: new Map(before.records), commits: new Set(before.line), sessions: new Set() };
  const crowd: Crowd = { bench, project, tally, promised };
  for (let round = 1; round <= options.rounds; round += 1) {
    const status = (await must(project, ['stage', 'status'])) as { active: boolean };
    if (!status.active) await must(project, ['stage', 'start', `Round ${round}`]);
    let over = false;
    const git = [
      ['gc', '-q'],
      ['pack-refs', '--all'],
    ].map((words) => gitBeside(crowd, words, () => over));
    const processes = Array.from({ length: options.processes }, async (_, index) => {
      const random = seededRandom(options.seed * 10_000 + round * 100 + index);
      for (let command = 0; command < options.commands; command += 1) {
        const words = chooseWords(random, `${index} in round ${round}`);
        // Some are sure to die with LOCK in hand: it is theirs from their fourth call on, if nobody else has it.
        if (command === 0 && index % 4 === 0)
          await runOne(crowd, ['stage', 'flush', '--allow-empty'], { at: 5 + index });
        else await runOne(crowd, words, chooseDeath(random, words));
      }
    });
    await Promise.all(processes);
    over = true;
    await Promise.all(git);
    tally.losses.push(...(await settle(crowd, before)).map((problem) => `after round ${round}: ${problem}`));
  }
  if (tally.killed === 0 || tally.holders === 0)
    tally.losses.push(
      `${tally.killed} were killed, ${tally.holders} of them with LOCK in hand: the harness did not do its work`,
    );
  removeProject(project);
  return tally;
}
