/**
 * `npm run test:agents`: the real programs against a model server of ours, in a network that has nothing but `lo`: with our hooks, and in
 * sessions that ctx has handed over to them. `-- story`, `-- three`, `-- killed`, `-- launch`, `-- rewound`, `-- acp` or `-- handover` does one of these; names of agents do some of them.
 */
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { playAcp } from './acp.ts';
import { handOver, ORIGINS } from './handover.ts';
import { playKilled } from './killed.ts';
import { otherOf, playLaunch } from './launch.ts';
import { matrixOf, type Passage, writeMatrix } from './matrix.ts';
import { install, noNamespace, runInside } from './place.ts';
import { playStory } from './play.ts';
import { PROGRAMS, type Program } from './programs.ts';
import { playRewound } from './rewound.ts';
import { playThree } from './three.ts';

const INSIDE = '--inside';
/** Tasks that are run with the programs. */
const TASKS = ['story', 'three', 'killed', 'launch', 'rewound', 'acp', 'handover'];
const words = process.argv.slice(2);
const tasks = words.filter((word) => TASKS.includes(word));
const names = words.filter((word) => word !== INSIDE && !TASKS.includes(word));
const stranger = names.find((name) => !PROGRAMS.some(({ agent }) => agent === name));
if (stranger !== undefined)
  throw new Error(`There is no program for ${stranger}; there are ${PROGRAMS.map(({ agent }) => agent).join(', ')}.`);
const wanted = PROGRAMS.filter(({ agent }) => names.length === 0 || names.includes(agent));

const tell = (text: string): void => void process.stdout.write(`${text}\n`);

/** Lists the packages that the tasks of a program need. */
function packagesFor(program: Program): string[] {
  const programs = isWanted('launch') ? [program, otherOf(program)] : [program];
  return programs.flatMap((one) => [one.package, ...(one.needs ?? [])]);
}

/** Installs what is wanted, and starts over inside the closed network. */
function outside(): number {
  const why = noNamespace();
  if (why !== null) {
    tell(`Skipped: there can be no network of its own here, and no program is run in another: ${why}`);
    return 0;
  }
  const ready = wanted.filter((program: Program) =>
    packagesFor(program).every((name) => {
      tell(`Installing ${name}`);
      const problem = install(name);
      if (problem !== null) tell(`Skipped: ${name} cannot be installed here: ${problem}`);
      return problem === null;
    }),
  );
  if (ready.length === 0) return 0;
  return runInside([
    ...process.execArgv,
    fileURLToPath(import.meta.url),
    INSIDE,
    ...tasks,
    ...ready.map(({ agent }) => agent),
  ]);
}

const isWanted = (task: string): boolean => tasks.length === 0 || tasks.includes(task);

/** Hands a session of each agent to each program. @returns how many problems there were */
async function handOverAll(): Promise<number> {
  const passages: Passage[] = [];
  let failed = 0;
  for (const program of wanted)
    for (const origin of ORIGINS) {
      const { problems, losses, messages } = await handOver(origin, program);
      passages.push({ from: origin.agent, to: program.agent, losses, messages });
      tell(`\n${origin.agent}, ${origin.kind}, to ${program.package}: ${messages} messages`);
      for (const { kind, count } of losses) tell(`  not carried over: ${kind} ${count}`);
      for (const problem of problems) tell(`  ${styleText('red', 'FAILED')} ${problem}`);
      failed += problems.length;
    }
  const agents = PROGRAMS.map(({ agent }) => agent);
  if (failed === 0 && wanted.length === PROGRAMS.length) writeMatrix(matrixOf(passages, agents));
  return failed;
}

async function inside(): Promise<number> {
  let failed = isWanted('handover') ? await handOverAll() : 0;
  for (const program of isWanted('story') ? wanted : []) {
    const { problems, figures } = await playStory(program);
    tell(`\n${program.agent}, ${program.package}`);
    for (const [what, figure] of Object.entries(figures)) tell(`  ${what}: ${figure}`);
    for (const problem of problems) tell(`  ${styleText('red', 'FAILED')} ${problem}`);
    failed += problems.length;
  }
  for (const [task, play] of [
    ['three', playThree],
    ['killed', playKilled],
    ['launch', playLaunch],
    ['rewound', playRewound],
    ['acp', playAcp],
  ] as const)
    for (const program of isWanted(task) ? wanted : []) {
      const problems = await play(program);
      tell(`\n${program.agent}, ${program.package}: ${task}`);
      for (const problem of problems) tell(`  ${styleText('red', 'FAILED')} ${problem}`);
      failed += problems.length;
    }
  tell(failed === 0 ? '\nctx has what the model saw.' : `\n${failed} failed.`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = words.includes(INSIDE) ? await inside() : outside();
