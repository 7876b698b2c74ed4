/** Checks the skeleton of a store: HEAD, config, settings and the folders. */
import { type Dirent, lstatSync, type Stats } from 'node:fs';
import { CtxError, damaged } from '../../core/errors.ts';
import { checkFormat } from '../../git/config.ts';
import { entriesOf } from '../../git/guard.ts';
import { type Layout, MAIN } from '../../git/layout.ts';
import { readPackedRefs } from '../../git/refs/packed-refs.ts';
import { below } from '../../platform/below.ts';
import { DOCUMENT_LIMIT, errorCode, exists, ioError, LINES_LIMIT, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { isPointer, isSessionId } from '../names/layout.ts';
import { HEAD, SKELETON } from './create.ts';
import { readSettings, type Settings } from './settings.ts';
import { hasContent } from './store-detection.ts';

const MEND = 'Repair it with: ctx fsck --repair';
const INIT = 'Write it again with: ctx init';

/**
 * Checks HEAD.
 * @throws {CtxError} unsupported_store, if it is absent, or a person has changed it; damaged, if it is torn, or gone
 * together with main
 */
export function checkHead(layout: Layout): void {
  const { head } = layout;
  const text = readIfThere(head, LINES_LIMIT)?.toString('latin1').trim();
  if (text === HEAD.trim()) return;
  const why = `does not say "${HEAD.trim()}"`;
  if (text === undefined && hasLostAll(layout)) throw damaged('The store', `${HEAD_AND_MAIN} are gone`, { hint: MEND });
  if (text === undefined) throw unusable(`it has no HEAD (${head})`, INIT);
  if (isTornHead(text)) throw damaged('HEAD', `it ${why}`, { hint: MEND });
  throw unusable(`its HEAD ${why}`, `If it is yours, repair it with: ctx fsck --repair`);
}

const HEAD_AND_MAIN = `HEAD and ${MAIN}`;

/** Returns whether a store has content but no pointer any more: creating it again would hide that. */
const hasLostAll = (layout: Layout): boolean =>
  !exists(below(layout.root, MAIN)) && !exists(layout.packedRefs) && hasContent(layout);

/** Returns whether a HEAD looks like damage of ours: a prefix of it, one wrong byte, or no valid pointer to a branch. */
function isTornHead(text: string): boolean {
  const ours = HEAD.trim();
  const isOneByteOff = text.length === ours.length && [...text].filter((sign, at) => sign !== ours[at]).length === 1;
  return isOneByteOff || ours.startsWith(text) || !/^(ref: refs\/heads\/[!-~\x80-\xff]+|[0-9a-f]{40})$/.test(text);
}

/** Checks the config. @throws {CtxError} unsupported_store, if it is absent, or of another format; damaged, if it is torn */
export function checkConfig({ config }: Layout): void {
  const text = readIfThere(config, DOCUMENT_LIMIT)?.toString('utf8');
  if (text === undefined) throw unusable(`it has no config (${config})`, INIT);
  checkFormat(text);
}

const unusable = (why: string, hint: string): CtxError =>
  new CtxError('unsupported_store', `This store cannot be used: ${why}.`, { hint });

/** Reads the settings of a store; returns null if it has none. @throws {CtxError} invalid_settings, damaged */
export function storedSettings({ settings }: Layout): { settings: Settings; unknown: string[] } | null {
  const text = readIfThere(settings, DOCUMENT_LIMIT)?.toString('utf8');
  return text === undefined ? null : readSettings(text, settings);
}

/** Folders that ctx and Git make, now or later; each after its parents. */
const FOLDERS = [
  ...[
    'lost',
    ...SKELETON.flatMap((path) => path.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))),
  ],
  ...['logs', 'logs/refs', 'logs/refs/heads', 'logs/refs/sessions', 'logs/refs/archive'],
  ...[
    'oplog/segments',
    'choices',
    'runs',
    'cache',
    'cache/catalog',
    'cache/conversations',
    'cache/objects',
    'forgetting',
    'info',
    'objects/info',
  ],
];

/** Yields entries in the place of a folder that are no folder. Links are reported elsewhere, since they are never followed. */
export function* misplaced({ root }: Layout): Generator<string> {
  for (const name of new Set(FOLDERS)) if (isInTheWay(look(below(root, name)))) yield name;
  for (const [folder, isFolder] of [
    ['objects', (name: string): boolean => /^[0-9a-f]{2}$/.test(name)],
    ['pending', isSessionId],
  ] as const) {
    if (!look(below(root, folder))?.isDirectory()) continue;
    for (const entry of entriesOf(below(root, folder))) {
      const name = `${folder}/${entry.name}`;
      if (!isFolder(entry.name)) continue;
      if (isInTheWay(entry)) yield name;
      else if (folder === 'pending' && isInTheWay(look(below(root, name, 'objects')))) yield `${name}/objects`;
    }
  }
}

/**
 * Yields entries in the place of a file that are no file: the list of hook errors, and the reflogs of our pointers, which no
 * other check reads.
 */
export function* misplacedFiles(layout: Layout): Generator<string> {
  const { root, hookErrors } = layout;
  const found = look(hookErrors);
  if (found && !found.isFile() && !found.isSymbolicLink()) yield hookErrors.slice(root.length + 1);
  for (const folder of ['refs/heads', 'refs/sessions', 'refs/archive'])
    for (const entry of listed(below(root, 'logs', folder))) {
      const ref = `${folder}/${entry.name}`;
      // Another program's ref may be in a folder of such a name.
      if (entry.isDirectory() && isPointer(ref) && isRef(layout, ref)) yield `logs/${ref}`;
    }
}

function isRef({ root, packedRefs }: Layout, ref: string): boolean {
  try {
    return look(below(root, ref))?.isFile() === true || readPackedRefs(packedRefs, isPointer).has(ref);
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return false;
    throw error;
  }
}

/** Returns the entries of a folder; empty if it is no folder, or cannot be listed, which is reported separately. */
function listed(folder: string): Dirent[] {
  if (!look(folder)?.isDirectory()) return [];
  try {
    return entriesOf(folder);
  } catch (error) {
    throwResourceError(error);
    if (error instanceof CtxError) return [];
    throw error;
  }
}

const isInTheWay = (found: Pick<Stats, 'isDirectory' | 'isSymbolicLink'> | undefined): boolean =>
  found !== undefined && !found.isDirectory() && !found.isSymbolicLink();

/** Returns the stat of a path; undefined below a file or an unreadable folder, which is reported separately. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (['ENOTDIR', 'EACCES'].includes(errorCode(error))) return undefined;
    throw ioError('look at', path, error);
  }
}
