/** Measures if `stage status` stays as fast in a large store as in a small one, its objects loose or packed by Git. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GROWTH } from './budgets.ts';
import type { Subject } from './measure.ts';
import { gitVersion, ROOT, runCtx, runGit, runNode, settleDisk } from './program.ts';

/** Steps of the running session, and objects in the whole store (0: no more than the steps need). */
const SIZES = [
  { steps: 10, objects: 0, words: '10 steps' },
  { steps: 1_000, objects: 0, words: '1,000 steps' },
  { steps: 10_000, objects: 100_000, words: '10,000 steps, 100,000 objects' },
];

function statusSubject(project: string, words: string): Subject {
  return { name: `\`stage status\`, ${words}`, budget: GROWTH, run: () => runCtx(project, 'stage', 'status') };
}

/** Builds the stores; gives one subject each, the smallest loose one first. */
export function growthSubjects(workshop: string): Subject[] {
  const hasGit = gitVersion() !== null;
  if (!hasGit) process.stderr.write('There is no git on this machine: packed stores are left out.\n');
  const builder = join(ROOT, 'bench', 'growth-store.ts');
  const subjects = SIZES.flatMap(({ steps, objects, words }) => {
    process.stderr.write(`growth: building a store of ${words}\n`);
    const loose = join(workshop, `loose-${steps}`);
    mkdirSync(loose);
    runNode(ROOT, '--import', 'tsx', builder, loose, String(steps), String(objects));
    if (!hasGit) return [statusSubject(loose, `${words}, loose`)];
    const packed = packedCopy(loose, join(workshop, `packed-${steps}`));
    return [statusSubject(loose, `${words}, loose`), statusSubject(packed, `${words}, packed`)];
  });
  settleDisk();
  return subjects;
}

/** The same store after `git gc`. Its objects go straight into a pack: copying them one by one would take minutes. */
function packedCopy(loose: string, packed: string): string {
  const isLooseFolder = (path: string): boolean => /[\\/]objects[\\/][0-9a-f]{2}$/.test(path);
  cpSync(loose, packed, { recursive: true, filter: (path) => !isLooseFolder(path) });
  const name = join(packed, '.ctx', 'objects', 'pack', 'pack');
  runGit(loose, '--git-dir=.ctx', 'pack-objects', '-q', '--all', name);
  runGit(packed, '--git-dir=.ctx', 'gc', '-q');
  return packed;
}
