/** Words on what a command did to the files of the work tree. */
import type { FileLeft } from '../../app/world/apply.ts';
import type { WorldResult } from '../../app/world/world.ts';
import { oneLine, plural } from '../../core/text.ts';
import type { Theme } from './theme.ts';

const MARKS = { written: 'M', created: 'A', removed: 'D' } as const;

/** Says what became of the files, in the letters of Git. @param force how to take those that are left, too */
export function* worldLines(
  { restored, left, by, snapshot_id, kept }: WorldResult,
  word: string,
  theme: Theme,
  force = '',
): Generator<string> {
  if (by === 'host') {
    yield `The host restores its snapshot ${theme.accent(oneLine(snapshot_id))}.\n`;
    return;
  }
  yield `${theme.strong('Files')}: ${restored.length > 0 ? `${plural(restored.length, 'file')} ${word}` : 'nothing to restore'}.`;
  yield kept === null ? '\n' : ` Before: snapshot ${theme.faint(kept)}\n`;
  for (const { path, change } of restored) yield `  ${MARKS[change]} ${oneLine(path)}\n`;
  if (left.length === 0) return;
  const hasOthers = left.some(({ by }) => !Object.hasOwn(OBSTACLES, by));
  yield `${theme.warn('Left as they are')}${hasOthers ? `, since others have changed them${force}` : ''}\n`;
  for (const one of left) yield `  ${oneLine(one.path)} ${theme.faint(`(${whyInWords(one)})`)}\n`;
}

/** Obstacles to the restore of a file that nobody else has changed. */
const OBSTACLES: Record<string, string> = {
  folder: 'a folder with ignored files is in its place',
  blocked: 'something else is in its place',
  denied: 'permission denied',
  failed: 'it cannot be written',
};

function whyInWords({ by, code }: FileLeft): string {
  if (Object.hasOwn(OBSTACLES, by)) return `${OBSTACLES[by]}${code === undefined ? '' : `: ${code}`}`;
  if (by === 'user') return 'outside of this session';
  return by === 'unknown' ? 'while several sessions worked' : `session ${oneLine(by)}`;
}
