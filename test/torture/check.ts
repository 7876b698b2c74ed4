/** Checks the laws of a store after anything that may happen to it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CtxError } from '../../src/core/errors.ts';
import { verifyStore } from '../../src/health/verify/index.ts';
import { transact } from '../../src/history/transaction.ts';
import { openProject } from './in-process.ts';
import { lostOperations, lostRecords, type Picture, shapeOf, takePicture } from './picture.ts';
import { runGit } from './program.ts';

/** Lock files of Git's, our marks of them, and half-done operations: after a recovery there is none of them. */
const HANDIWORK =
  /^(LOCK\.ref|LOCK\.packed|STAGE\.lock|packed-refs\.lock)$|^refs\/.*\.lock$|^oplog\/begun\.json$|^forgetting(\/|$)/;

/** Lets a change that changes nothing take LOCK: it must get it, and leave no lock behind. */
export function checkLocks(project: string): string[] {
  try {
    transact(openProject(project), { command: 'torture', message: 'torture' }, () => undefined);
    transact(openProject(project), { command: 'torture', message: 'torture' }, () => undefined);
  } catch (error) {
    return [`LOCK cannot be taken: ${wordsOf(error)}`];
  }
  const left = filesOf(project).filter((name) => name === 'LOCK' || HANDIWORK.test(name));
  return left.map((name) => `${name} is left and needs a hand`);
}

export function filesOf(project: string): string[] {
  const root = join(project, '.ctx');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' });
}

/** Checks with this project's own check and, if asked, Git's that nothing is damaged. */
export async function checkSound(project: string, withGit = true): Promise<string[]> {
  const problems: string[] = [];
  try {
    for (const finding of verifyStore(openProject(project), false))
      if (finding.severity === 'damage') problems.push(`verify: ${finding.where}: ${finding.message}`);
  } catch (error) {
    problems.push(`verify: ${wordsOf(error)}`);
  }
  if (!withGit) return problems;
  const git = await runGit(project, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress']);
  const said = `${git.out}${git.err}`.trim();
  if (said !== '' || git.code !== 0) problems.push(`git fsck (exit ${git.code}): ${said}`);
  return problems;
}

/** Counts the findings of this project's own check of a store. */
export const findings = (project: string): number => [...verifyStore(openProject(project), false)].length;

export interface Expected {
  before: Picture;
  /** Acknowledged records by id: those of `before`, and what was acknowledged since. */
  acknowledged: ReadonlyMap<string, readonly string[]>;
  /** The shapes that the pointers may have; any where absent. */
  shapes?: readonly (string | RegExp)[] | undefined;
}

/** Every check after a recovery; gives the problems, and the shape that the pointers have. */
export async function checkRecovered(
  project: string,
  expected: Expected,
  withGit = true,
): Promise<{ problems: string[]; shape: string }> {
  const problems = await checkSound(project, withGit);
  for (const name of filesOf(project)) if (HANDIWORK.test(name)) problems.push(`${name} is left and needs a hand`);
  try {
    const now = takePicture(project);
    problems.push(...lostRecords(expected.acknowledged, now), ...lostOperations(expected.before, now));
    const shape = shapeOf(expected.before, now);
    const allowed = expected.shapes?.some((one) => (typeof one === 'string' ? one === shape : one.test(shape))) ?? true;
    if (!allowed) problems.push(`the pointers are neither old nor new: ${shape}`);
    if (now.stage !== null && !now.sessions.has(now.stage.slice('refs/sessions/'.length)))
      problems.push(`STAGE names ${now.stage}, which is not open`);
    return { problems, shape };
  } catch (error) {
    return { problems: [...problems, `looking at it: ${wordsOf(error)}`], shape: '?' };
  }
}

/** An error in words; one that is no CtxError is a bug, with its trace. */
export function wordsOf(error: unknown): string {
  if (error instanceof CtxError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? `BUG ${error.stack ?? error.message}` : `BUG ${String(error)}`;
}
