/** Measures if a command costs the same however many sessions have ended, and counts the files that such sessions leave. */
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, GROWTH, type Row } from './budgets.ts';
import { hookSubjects } from './commands.ts';
import type { Subject } from './measure.ts';
import { ROOT, runCtx, runCtxWith, runNode, settleDisk } from './program.ts';

const SIZES = [10, 1_000, 10_000];

/** Sessions whose files are counted, and their commands: each of them a process. */
const COUNTED = 40;

/** A command, and what has to be done before each run of it in its project. */
interface Command extends Pick<Subject, 'prepare' | 'run'> {
  name: string;
}

const words = (count: number): string => `${count.toLocaleString('en')} ended sessions`;

function storeOf(workshop: string, sessions: number): string {
  process.stderr.write(`growth: building a store of ${words(sessions)}\n`);
  const project = join(workshop, `ended-${sessions}`);
  mkdirSync(project);
  runNode(ROOT, '--import', 'tsx', join(ROOT, 'bench', 'ended-store.ts'), project, String(sessions));
  return project;
}

/** The life of a session by hand, in the order in which a round runs it: no session is active before the first one. */
function lifeByHand(project: string): Command[] {
  const ctx = (name: string, ...rest: string[]): Command => ({ name, run: () => runCtx(project, ...rest) });
  const done = (): unknown => runCtx(project, 'stage', 'done', 'It is done');
  return [
    ctx('`stage status` without a session', 'stage', 'status'),
    ctx('`stage start`', 'stage', 'start', 'Add retry with exponential backoff'),
    ctx('`stage status` with a session', 'stage', 'status'),
    ctx('`observe note`', 'observe', 'note', 'Decision: full jitter'),
    ctx('`stage flush`', 'stage', 'flush'),
    ctx('`message`', 'message', '--as', 'clarification', 'Which one is it?'),
    { ...ctx('`stage confirm`', 'stage', 'confirm'), prepare: done },
  ];
}

/** Commands that an agent's hooks run, in a conversation that continues; and one that begins and ends beside it. */
function hooksIn(project: string): Command[] {
  const about = { session_id: '22222222-2222-4222-8222-222222222222', cwd: project };
  const hook = (event: string, fields: object): (() => { milliseconds: number }) => {
    const payload = JSON.stringify({ ...about, hook_event_name: event, ...fields });
    return () => runCtxWith(project, payload, 'hook', 'claude-code');
  };
  const prompt = hook('UserPromptSubmit', { prompt: 'Say what the client does' });
  return [
    ...hookSubjects(project).filter(({ budget }) => budget !== null),
    { name: '`hook` of the start of a session', run: hook('SessionStart', { source: 'startup' }) },
    { name: '`hook` of the end of a session', prepare: prompt, run: hook('SessionEnd', { reason: 'other' }) },
  ];
}

/** Every command in stores of every size, each beside itself in the smallest one; `node -e 0` first. */
export function endedSubjects(workshop: string): Subject[] {
  const stores = SIZES.map((sessions) => {
    const project = storeOf(workshop, sessions);
    const hooked = join(workshop, `hooked-${sessions}`);
    cpSync(project, hooked, { recursive: true });
    return { sessions, commands: [...lifeByHand(project), ...hooksIn(hooked)] };
  });
  settleDisk();
  const [smallest] = stores;
  const subjects: Subject[] = [{ name: '`node -e 0`', budget: null, run: () => runNode(ROOT, '-e', '0') }];
  for (const [index] of (smallest?.commands ?? []).entries()) {
    let against: Subject | undefined;
    for (const { sessions, commands } of stores) {
      const { name, ...command } = commands[index] as Command;
      const base = against && { against, budget: GROWTH };
      const subject: Subject = { budget: null, ...command, ...base, name: `${name}, ${words(sessions)}` };
      // The first one is its own base.
      if (!against) subject.against = subject;
      against ??= subject;
      subjects.push(subject);
    }
  }
  return subjects;
}

/** Files of a store in which each session was lived through by commands, after `ctx gc`. */
export function filesRows(workshop: string): Row[] {
  const project = join(workshop, 'files');
  mkdirSync(project);
  runCtx(project, 'init');
  for (let count = 0; count < COUNTED; count += 1) {
    runCtx(project, 'stage', 'start', `Part ${count}`);
    runCtx(project, 'observe', 'note', `Decision ${count}`, '--flush');
    runCtx(project, 'stage', 'done', 'It is done');
    runCtx(project, 'stage', 'confirm');
  }
  runCtx(project, 'gc');
  const entries = readdirSync(join(project, '.ctx'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).length;
  const name = `after \`gc\`, ${COUNTED} ended sessions`;
  return [{ name, figure: files / COUNTED, beside: String(files), budget: FILES }];
}
