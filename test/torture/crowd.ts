/** The crowd: many processes at once on one store, some of them killed, Git at work beside them; nothing acknowledged may be lost. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { trailersOf } from '../../src/core/commit.ts';
import { MAIN } from '../../src/git/layout.ts';
import { readCommit } from '../../src/history/chain/chain.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { readOperations } from '../../src/history/operations/operation-files.ts';
import { readHookErrors } from '../../src/history/store/hook-errors.ts';
import { checkLocks, checkRecovered, wordsOf } from './check.ts';
import { CONVERSATION, chooseDeath, chooseErrand, type Death, type Errand } from './crowd-words.ts';
import { openProject, runHere } from './in-process.ts';
import { lostRecords, type Picture, takePicture } from './picture.ts';
import { collect, faultOf, NOW, pool, runGit, seededRandom } from './program.ts';
import { told } from './scenarios.ts';
import type { Bench } from './stage.ts';
import { copyProject, must, removeProject } from './stores.ts';

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

/** Longest that a command may take: it waits 10 s for LOCK and 10 s for a lock of Git's, and the machine is crowded. */
const LONGEST = 40_000;

/** Promises of answered commands. */
interface Promised {
  records: Map<string, readonly string[]>;
  /** Texts that stand in some record, each with the event of the hook that was told it. */
  texts: Map<string, string | undefined>;
  /** Steps and canonical commits that must be reachable. */
  commits: Map<string, { by: string; session: string | undefined }>;
  sessions: Set<string>;
  /** The session of the conversation whose tools are used. */
  conversation: string;
}

/** The process that LOCK names, or 0. */
function holderOf(project: string): number {
  try {
    return (JSON.parse(readFileSync(join(project, '.ctx', 'LOCK'), 'utf8')) as { pid: number }).pid;
  } catch {
    return 0;
  }
}

/** Checks if a process that killed itself had LOCK in hand; what was killed by us may have told half of it. */
const wasHolding = (mark: string): boolean => existsSync(mark) && readFileSync(mark, 'utf8').includes('"holding":true');

interface Crowd {
  bench: Bench;
  project: string;
  tally: CrowdTally;
  promised: Promised;
}

/** Runs one command of the crowd to its end, or to its death. */
async function runOne({ bench, project, tally, promised }: Crowd, errand: Errand, death: Death): Promise<void> {
  const { words, input = '', before } = errand;
  before?.(project);
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
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
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
  else judge(tally, promised, errand, ended);
}

/** Reasons for which a command may be refused that cannot be done at present. */
const REFUSALS = [
  ...['no_such_move', 'no_active_session', 'session_active', 'choice_waits', 'no_choice'],
  // Nothing is left to undo.
  'not_found',
];

/** Notes what an answer promises; an answer that may not be is a loss. */
function judge(
  tally: CrowdTally,
  promised: Promised,
  { words, text, event }: Errand,
  ended: { code: number | null; out: string; err: string },
): void {
  const said = `ctx ${words.join(' ')}: ${ended.out.slice(0, 400)}${ended.err.slice(0, 400)}`;
  const code = /"code":"(\w+)"/.exec(ended.out)?.[1] ?? '';
  if (ended.code === 4) tally.busy += 1;
  else if (ended.code === 1 && REFUSALS.includes(code)) tally.refused += 1;
  // A question waits for the user: what was said is kept with it.
  else if (ended.code === 3) tally.acknowledged += 1;
  else if (ended.code !== 0) tally.losses.push(`it ended with ${ended.code}: ${said}`);
  else {
    tally.acknowledged += 1;
    const { result } = JSON.parse(ended.out) as { result: Answer };
    for (const id of Array.isArray(result.records) ? result.records : []) promised.records.set(id, []);
    // A flush of nothing tells where the chain stands: whoever made that step answers for it.
    if (typeof result.oid === 'string' && result.committed !== false)
      promised.commits.set(result.oid, { by: words.join(' '), session: result.session_id });
    if (words[1] === 'start' && result.session_id) promised.sessions.add(result.session_id);
    if (text !== undefined) promised.texts.set(text, event);
  }
}

interface Answer {
  records?: string[];
  oid?: string;
  committed?: boolean;
  session_id?: string;
}

const GIVES_UP =
  /\.lock|unable to (lock|update|mark recent objects|set permission|force loose)|gc is already running|cannot lock|cannot open pack index/i;

/** The user's Git at work, again and again until the round is over. */
async function gitBeside(crowd: Crowd, words: readonly string[], isOver: () => boolean): Promise<void> {
  for (let run = 0; run < 10_000 && !isOver(); run += 1) {
    const { code, err } = await runGit(crowd.project, words);
    crowd.tally.gitRuns += 1;
    // Git gives up where another Git, or a ctx, holds its lock, or takes away what it has just found: that is its right.
    if (code !== 0 && !GIVES_UP.test(err))
      crowd.tally.losses.push(`git ${words.join(' ')} ended with ${code}: ${err.slice(0, 400)}`);
  }
}

/** Everything that was promised, against what is there. */
function checkPromises({ project, promised }: Crowd, now: Picture): string[] {
  const problems = lostRecords(promised.records, now);
  const moves = movesIn(project);
  const reachable = new Set([...now.line, ...[...now.steps.values()].flat()]);
  const wasUndone = (ref: string): boolean =>
    moves.some(({ command, pointer }) => command === 'undo' && pointer === ref);
  for (const [oid, { by, session = '' }] of promised.commits) {
    if (reachable.has(oid)) continue;
    // An undo takes a canonical commit back, and what was taken in from a transcript alone; any other step stays.
    const mayBeGone = isStep(project, oid)
      ? by.startsWith('ingest') && wasUndone(sessionRef(session))
      : wasUndone(MAIN);
    if (!mayBeGone) problems.push(`commit ${oid} was promised by ctx ${by}, and is gone`);
  }
  for (const id of promised.sessions)
    if (!now.sessions.has(id) && !now.archive.has(id)) problems.push(`session ${id} was promised, and is gone`);
  // The deed of a tool in a conversation without an open session is kept nowhere, and nobody has promised that.
  const hasEnded = moves.some(({ pointer, to }) => pointer === sessionRef(promised.conversation) && to === null);
  problems.push(...checkTexts(project, promised.texts, now, hasEnded ? ['PostToolUse'] : []));
  return problems;
}

/**
 * Texts that stand in no record. A hook ends well whatever happens: of those that it was told as many may be missing as have
 * told that they failed.
 */
function checkTexts(project: string, told: Promised['texts'], now: Picture, excused: readonly string[]): string[] {
  const all = [...now.records.values()].flat().join('\n');
  const failures = readHookErrors(openProject(project));
  const isMissing = (text: string): boolean => !all.includes(JSON.stringify(text).slice(1, -1));
  return [undefined, 'UserPromptSubmit', 'PostToolUse'].flatMap((by) => {
    const missing = [...told].filter(([text, event]) => event === by && isMissing(text)).map(([text]) => text);
    const failed = failures.filter(({ event }) => event === by).length;
    return missing.length <= failed || excused.includes(by ?? '')
      ? []
      : [`${by ?? 'a command'} was done, and no record holds: ${missing.join('; ')}`];
  });
}

/** Every move that an operation has made. */
function movesIn(project: string): { command: string; pointer: string; to: string | null }[] {
  return [...readOperations(openProject(project))].flatMap(({ command, moves }) =>
    moves.map((move) => ({ command, pointer: move.pointer, to: move.new })),
  );
}

/** Checks if a commit is a step of a session's. */
const isStep = (project: string, oid: string): boolean =>
  trailersOf(readCommit(openProject(project).objects, oid).message).has('Ctx-Step');

async function settle(crowd: Crowd, before: Picture): Promise<string[]> {
  const { project, promised } = crowd;
  try {
    const recovery = await runHere(project, ['stage', 'recover']);
    if (recovery.error) return [`recovery: ${wordsOf(recovery.error)}`];
    const { problems } = await checkRecovered(project, { before, acknowledged: promised.records });
    return [...problems, ...checkPromises(crowd, takePicture(project)), ...checkLocks(project)];
  } catch (error) {
    return [wordsOf(error)];
  }
}

/** Begins the conversation whose tools are used; gives its session, which nobody makes the current one. */
async function converse(project: string): Promise<string> {
  await must(project, ['hook', 'claude-code'], told('UserPromptSubmit', { session_id: CONVERSATION, prompt: 'Begin' }));
  const { session_id } = (await must(project, ['stage', 'status'])) as { session_id: string };
  await must(project, ['stage', 'start', '--beside', 'Round 1']);
  return session_id;
}

/** One round: every process does its commands, and Git works beside them until they are done. */
async function letLoose(crowd: Crowd, options: CrowdOptions, round: number): Promise<void> {
  let over = false;
  const git = [
    ['gc', '-q'],
    ['pack-refs', '--all'],
    ['prune', '--expire=2.weeks.ago'],
  ].map((words) => gitBeside(crowd, words, () => over));
  const work = async (index: number): Promise<void> => {
    const random = seededRandom(options.seed * 10_000 + round * 100 + index);
    for (let command = 0; command < options.commands; command += 1) {
      const errand = chooseErrand(random, `${index} in round ${round}, ${command}`);
      // Some are sure to die with LOCK in hand: it is theirs from their fourth call on, if nobody else has it.
      if (command === 0 && index % 4 === 0)
        await runOne(crowd, { words: ['stage', 'flush', '--allow-empty'] }, { at: 5 + index });
      else await runOne(crowd, errand, chooseDeath(random, errand.words));
    }
  };
  try {
    await pool([...Array(options.processes).keys()], work, options.processes);
  } finally {
    over = true;
    await Promise.all(git);
  }
}

/** Lets the crowd loose, round after round. */
export async function runCrowd(bench: Bench, options: CrowdOptions): Promise<CrowdTally> {
  const project = copyProject(bench.templates.closed, bench.workshop);
  const title = `${options.processes} processes, ${options.rounds} rounds, seed ${options.seed}`;
  const counts = { commands: 0, acknowledged: 0, refused: 0, busy: 0, killed: 0, holders: 0, gitRuns: 0, longest: 0 };
  const tally: CrowdTally = { title, ...counts, losses: [] };
  const before = takePicture(project);
  const promised: Promised = {
    records: new Map(before.records),
    texts: new Map(),
    commits: new Map(before.line.map((oid) => [oid, { by: 'nobody yet', session: undefined }])),
    sessions: new Set(),
    conversation: await converse(project),
  };
  const crowd: Crowd = { bench, project, tally, promised };
  for (let round = 1; round <= options.rounds; round += 1) {
    const status = (await must(project, ['stage', 'status'])) as { active: boolean };
    if (!status.active) await must(project, ['stage', 'start', `Round ${round}`]);
    await letLoose(crowd, options, round);
    tally.losses.push(...(await settle(crowd, before)).map((problem) => `after round ${round}: ${problem}`));
  }
  for (const count of ['killed', 'holders', 'acknowledged', 'gitRuns'] as const)
    if (tally[count] === 0) tally.losses.push(`${count} is 0: the harness did not do its work`);
  removeProject(project);
  return tally;
}
