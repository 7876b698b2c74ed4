/** `npm run test:agents`: the real programs with our hooks, against a model server of ours, in a network that has nothing but `lo`. */
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { install, noNamespace, runInside } from './place.ts';
import { playStory } from './play.ts';
import { PROGRAMS, type Program } from './programs.ts';

const INSIDE = '--inside';
const words = process.argv.slice(2);
const names = words.filter((word) => word !== INSIDE);
const stranger = names.find((name) => !PROGRAMS.some(({ agent }) => agent === name));
if (stranger !== undefined)
  throw new Error(`There is no program for ${stranger}; there are ${PROGRAMS.map(({ agent }) => agent).join(', ')}.`);
const wanted = PROGRAMS.filter(({ agent }) => names.length === 0 || names.includes(agent));

const tell = (text: string): void => void process.stdout.write(`${text}\n`);

/** Installs what is wanted, and starts over inside the closed network. */
function outside(): number {
  const why = noNamespace();
  if (why !== null) {
    tell(`Skipped: there can be no network of its own here, and no program is run in another: ${why}`);
    return 0;
  }
  const ready = wanted.filter((program: Program) =>
    [program.package, ...(program.needs ?? [])].every((name) => {
      tell(`Installing ${name}`);
      const problem = install(name);
      if (problem !== null) tell(`Skipped: ${name} cannot be installed here: ${problem}`);
      return problem === null;
    }),
  );
  if (ready.length === 0) return 0;
  return runInside([...process.execArgv, fileURLToPath(import.meta.url), INSIDE, ...ready.map(({ agent }) => agent)]);
}

async function inside(): Promise<number> {
  let failed = 0;
  for (const program of wanted) {
    const { problems, figures } = await playStory(program);
    tell(`\n${program.agent}, ${program.package}`);
    for (const [what, figure] of Object.entries(figures)) tell(`  ${what}: ${figure}`);
    for (const problem of problems) tell(`  ${styleText('red', 'FAILED')} ${problem}`);
    failed += problems.length;
  }
  tell(failed === 0 ? '\nctx has what the model saw.' : `\n${failed} failed.`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = words.includes(INSIDE) ? await inside() : outside();
