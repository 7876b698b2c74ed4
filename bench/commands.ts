/** How long the commands take that hooks and people call, each in a store of its own, with Git's as yardsticks. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLUSH, HOOK } from './budgets.ts';
import type { Subject } from './measure.ts';
import { type Finished, gitVersion, runCtx, runCtxWith, runGit, runNode } from './program.ts';
import { makeProject } from './project.ts';

const NOTE = 'Decision: full jitter, at most ten seconds';

const SIZE = 10_240;

/** What a hook carries: 10 KB of code, as an agent reads it; of this project's own. */
const CODE = ['git/refs/refs.ts', 'history/pending/pending.ts']
  .map((path) => readFileSync(join(import.meta.dirname, '../src', path), 'utf8'))
  .join('\n')
  .slice(0, SIZE);

/** The hardest for the search for secrets: 360 names of some in 10 KB, and nothing to redact. */
const NAMES = Array.from(
  { length: 120 },
  (_, line) => `${line}: const token = await client.login(process.env.API_KEY, { retries: ${line} }); // ok`,
)
  .join('\n')
  .slice(0, SIZE);

/** A project with one saved session and one that runs, of ten steps. */
function projectToRead(workshop: string): string {
  const project = makeProject(workshop, 'read', { fsync: false });
  runCtx(project, 'observe', 'note', NOTE, '--flush');
  runCtx(project, 'stage', 'compact');
  runCtx(project, 'stage', 'start', 'Honour the Retry-After header');
  for (let step = 2; step <= 10; step += 1) runCtx(project, 'observe', 'note', `${NOTE} (${step})`, '--flush');
  return project;
}

/** A small repository of Git's own. */
function repositoryOfGit(workshop: string): string {
  const folder = join(workshop, 'git');
  mkdirSync(folder);
  runGit(folder, 'init', '-q');
  writeFileSync(join(folder, 'client.ts'), 'export {};\n');
  runGit(folder, 'add', '.');
  runGit(folder, 'commit', '-qm', 'first');
  return folder;
}

function yardsticks(workshop: string): Subject[] {
  if (gitVersion() === null) {
    process.stderr.write('There is no git on this machine: its yardsticks are left out.\n');
    return [];
  }
  const folder = repositoryOfGit(workshop);
  const git = (...words: string[]): Subject => ({
    name: `\`git ${words.join(' ')}\``,
    budget: null,
    run: () => runGit(folder, ...words),
  });
  return [git('status'), git('log', '-1'), git('commit', '--allow-empty', '-qm', 'x')];
}

/** `init`, each time in a new folder. */
function initSubject(workshop: string): Subject {
  let count = 0;
  const folder = (): string => join(workshop, `init-${count}`);
  return {
    name: '`init`',
    budget: null,
    prepare: () => {
      count += 1;
      mkdirSync(folder());
    },
    run: () => runCtx(folder(), 'init'),
  };
}

/** What an agent's hooks run, at a conversation that has begun; the transcript grows by a message before each end of a turn. */
export function hookSubjects(project: string): Subject[] {
  const transcript = join(project, 'transcript.jsonl');
  const about = { session_id: '11111111-1111-4111-8111-111111111111', transcript_path: transcript, cwd: project };
  const hook = (hook_event_name: string, fields: object): (() => Finished) => {
    const payload = JSON.stringify({ ...about, hook_event_name, ...fields });
    return () => runCtxWith(project, payload, 'hook', 'claude-code');
  };
  const prompt = hook('UserPromptSubmit', { prompt: 'Also add logging to the client' });
  // Without a fence, within which no word of it would be read.
  const longPrompt = hook('UserPromptSubmit', { prompt: `Also log what this refuses:\n${CODE}` });
  const tool_input = { command: 'npm test', description: 'Run the tests' };
  const tool = (stdout: string): (() => Finished) => {
    const tool_response = { stdout, stderr: '', interrupted: false, isImage: false };
    return hook('PostToolUse', { tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input, tool_response });
  };
  /** An agent that is at work: what a turn has ended, a prompt begins, and the first tool of a turn finds it so. */
  const work = (): void => {
    prompt();
    tool('ok')();
  };
  let messages = 0;
  const speak = (): void => {
    messages += 1;
    const message = {
      id: `m${messages}`,
      role: 'assistant',
      content: [{ type: 'text', text: CODE.slice(0, 2000) }],
    };
    const parentUuid = messages === 1 ? null : `u${messages - 1}`;
    const at = { sessionId: about.session_id, cwd: project, timestamp: new Date().toISOString() };
    const line = { type: 'assistant', uuid: `u${messages}`, parentUuid, ...at, message };
    appendFileSync(transcript, `${JSON.stringify(line)}\n`);
  };
  const stop = hook('Stop', { last_assistant_message: 'Logging is in.' });
  /** A turn, but for its end. */
  const turn = (): void => {
    prompt();
    speak();
  };
  /** A turn: its end is what a prompt follows. */
  const wholeTurn = (): void => {
    turn();
    stop();
  };
  prompt();
  return [
    { name: '`hook` of a tool with 2 KB, fsync off', budget: HOOK, prepare: work, run: tool(CODE.slice(0, 2000)) },
    { name: '`hook` of a tool with 10 KB, fsync off', budget: HOOK, prepare: work, run: tool(CODE) },
    { name: '`hook` of a tool with 10 KB, 360 names of secrets', budget: null, prepare: work, run: tool(NAMES) },
    { name: '`hook` of a prompt, fsync off', budget: FLUSH, prepare: wholeTurn, run: prompt },
    // The design has a figure for one record, and none for a step of 10 KB.
    { name: '`hook` of a prompt with 10 KB, fsync off', budget: null, prepare: wholeTurn, run: longPrompt },
    { name: '`hook` of a prompt within a turn, fsync off', budget: null, prepare: work, run: prompt },
    { name: '`hook` of the end of a turn, fsync off', budget: FLUSH, prepare: turn, run: stop },
  ];
}

/** Everything that is measured against `node -e 0`, which comes first. */
export function commandSubjects(workshop: string): Subject[] {
  const read = projectToRead(workshop);
  const quick = (name: string): string => makeProject(workshop, name, { fsync: false });
  const [observe, flush, move, message] = [quick('observe'), quick('flush'), quick('move'), quick('message')];
  const durable = makeProject(workshop, 'durable');
  const ctx = (project: string, ...words: string[]): (() => Finished) => {
    return () => runCtx(project, ...words);
  };
  let notes = 0;
  const longNote = (name: string, budget: Subject['budget'], text: string): Subject => ({
    name,
    budget,
    // Another text each time: what is kept already costs less.
    prepare: () => {
      notes += 1;
    },
    run: () => runCtxWith(observe, `${notes} ${text}`, 'observe', 'note', '-'),
  });
  const note = (project: string): (() => Finished) => ctx(project, 'observe', 'note', NOTE);
  return [
    { name: '`node -e 0`', budget: null, run: () => runNode(read, '-e', '0') },
    { name: '`stage status`', budget: HOOK, run: ctx(read, 'stage', 'status') },
    { name: '`stage status --json`', budget: HOOK, run: ctx(read, 'stage', 'status', '--json') },
    { name: '`observe note`, fsync off', budget: HOOK, run: note(observe) },
    longNote('`observe note -` of 10 KB, fsync off', HOOK, CODE),
    longNote('`observe note -` of 10 KB, 360 names of secrets', null, NAMES),
    {
      name: '`stage flush` of one record, fsync off',
      budget: FLUSH,
      prepare: note(flush),
      run: ctx(flush, 'stage', 'flush'),
    },
    ...hookSubjects(quick('hook')),
    {
      name: '`message`, fsync off',
      budget: FLUSH,
      run: ctx(message, 'message', '--as', 'modification', 'Make it five tries'),
    },
    { name: '`stage ask`, fsync off', budget: null, run: ctx(move, 'stage', 'ask', 'Equal or full jitter?') },
    { name: '`stage respond`, fsync off', budget: null, run: ctx(move, 'stage', 'respond', 'Full jitter') },
    { name: '`log -n 1`', budget: null, run: ctx(read, 'log', '-n', '1') },
    { name: '`show HEAD`', budget: null, run: ctx(read, 'show', 'HEAD') },
    { name: '`--help`', budget: null, run: ctx(read, '--help') },
    ...yardsticks(workshop),
    // What waits for the disk comes last: whatever it leaves to do disturbs no figure that has a budget.
    initSubject(workshop),
    { name: '`observe note`, fsync on', budget: null, run: note(durable) },
    // Of the record just observed.
    { name: '`stage flush` of one record, fsync on', budget: null, run: ctx(durable, 'stage', 'flush') },
  ];
}
