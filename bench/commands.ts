/** How long the commands take that hooks and people call, each in a store of its own, with Git's as yardsticks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLUSH, HOOK } from './budgets.ts';
import type { Subject } from './measure.ts';
import { type Finished, gitVersion, runCtx, runGit, runNode } from './program.ts';
import { makeProject } from './project.ts';

const NOTE = 'Decision: full jitter, at most ten seconds';

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

/** Everything that is measured against `node -e 0`, which comes first. */
export function commandSubjects(workshop: string): Subject[] {
  const read = projectToRead(workshop);
  const quick = (name: string): string => makeProject(workshop, name, { fsync: false });
  const [observe, flush, move] = [quick('observe'), quick('flush'), quick('move')];
  const durable = makeProject(workshop, 'durable');
  const ctx = (project: string, ...words: string[]): (() => Finished) => {
    return () => runCtx(project, ...words);
  };
  const note = (project: string): (() => Finished) => ctx(project, 'observe', 'note', NOTE);
  return [
    { name: '`node -e 0`', budget: null, run: () => runNode(read, '-e', '0') },
    { name: '`stage status`', budget: HOOK, run: ctx(read, 'stage', 'status') },
    { name: '`stage status --json`', budget: HOOK, run: ctx(read, 'stage', 'status', '--json') },
    { name: '`observe note`, fsync off', budget: HOOK, run: note(observe) },
    {
      name: '`stage flush` of one record, fsync off',
      budget: FLUSH,
      prepare: note(flush),
      run: ctx(flush, 'stage', 'flush'),
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
