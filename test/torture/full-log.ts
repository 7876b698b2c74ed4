/** Fills the operation log and the archive of a store, up to the command that folds the one and packs the other. */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { idShownIn } from '../../src/history/operations/operation.ts';
import { must } from './stores.ts';

/** One short of what is packed, and of what is folded. */
const REFS = 63;
const OPERATIONS = 79;

const count = (project: string, folder: string, ending: RegExp): number =>
  readdirSync(join(project, '.ctx', folder)).filter((name) => ending.test(name)).length;

const singles = (project: string): number => count(project, 'oplog', /^[0-9a-f-]{36}\.json$/);

/** Sessions that begin and end, then sessions that take turns. @param form `old form`: the last operation has the name of its id too */
export async function fillLog(project: string, form: 'full' | 'old form'): Promise<void> {
  for (let left = REFS - count(project, 'refs/archive', /^/); left > 0; left -= 1)
    await must(project, ['stage', 'start', '--replace', `Task ${left}`]);
  while (singles(project) < OPERATIONS) {
    const list = (await must(project, ['stage', 'list'])) as { session_id: string; current: boolean }[];
    const other = list.find(({ current }) => !current)?.session_id ?? '';
    await must(project, ['stage', 'switch', other]);
  }
  if (count(project, 'oplog', /^segments$/) > 0) throw new Error('the log was folded before its time');
  if (form === 'full') return;
  const newest = join(project, '.ctx', 'oplog', 'newest.json');
  renameSync(newest, join(project, '.ctx', 'oplog', `${idShownIn(readFileSync(newest, 'utf8'))}.json`));
}
