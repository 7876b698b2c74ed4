/** An open store: its parts, and the checks that every command makes before using it. */
import { basename, dirname, join, resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import { checkLayout } from '../../git/guard.ts';
import type { Layout } from '../../git/layout.ts';
import { FileObjectStore, type ObjectFiles } from '../../git/objects/objects.ts';
import { FileRefs, type Refs } from '../../git/refs/refs.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { type Durability, exists } from '../../platform/files.ts';
import { type IdSource, uuidSource } from '../../platform/ids.ts';
import { checkPinned, pinFolder } from '../../platform/pinned-folders.ts';
import { ARCHIVE, layoutOf, SESSIONS } from '../names/layout.ts';
import { movesOf } from '../operations/operation-files.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';
import { checkConfig, checkHead, storedSettings } from './skeleton.ts';
import { wasStore } from './store-detection.ts';

/** Longest wait for a lock, in milliseconds (format rule of ctx). */
const LOCK_WAIT = 10_000;

/** Everything that a use case needs. Made by `openRepository`. */
export interface Repository extends ObjectFiles {
  /** The folder of `.ctx`: paths in records are relative to it. */
  project: string;
  settings: Settings;
  /** Keys of settings.json that this version does not know. */
  unknownSettings: string[];
  refs: Refs;
  /** The session to work on instead of the one STAGE names: an id or a prefix of one. */
  session: string | null;
  /** Results of changes beside what was asked for, a sentence each, for the person in front of them. */
  notices: string[];
  /** The ids of sessions that this process has paused or ended. */
  saved: Set<string>;
}

/** Returns the ids of all sessions that have a ref, open ones first; one that is being saved may be listed twice. */
export const sessionIds = ({ refs }: Pick<Repository, 'refs'>): string[] =>
  [SESSIONS, ARCHIVE].flatMap((prefix) => refs.names(prefix).map((ref) => ref.slice(prefix.length)));

export interface OpenOptions {
  /** Folder from which `.ctx` is searched, upwards (default: the working directory). */
  directory?: string | undefined;
  /** The `.ctx` folder itself, without a search. */
  store?: string | undefined;
  session?: string | null | undefined;
  clock?: Clock | undefined;
  /** The machine's own time, in Unix seconds, which ages second names of objects. */
  machineTime?: Clock | undefined;
  ids?: IdSource | undefined;
  lockWait?: number | undefined;
  /** Opens a store with a damaged skeleton or settings too: for checks and repairs. */
  toCheck?: boolean | undefined;
}

/** Returns the nearest `.ctx` at or above a folder, or null. */
export function findStore(directory: string): string | null {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const store = join(at, '.ctx');
    if (isStore(store)) return store;
    if (dirname(at) === at) return null;
  }
}

/** A store without HEAD, or without any ref, still counts: one further up must not replace it. */
const isStore = (store: string): boolean =>
  ['HEAD', 'refs/heads/main', 'packed-refs'].some((name) => exists(join(store, name))) || wasStore(layoutOf(store));

function locate(options: OpenOptions): string {
  const directory = options.directory ?? process.cwd();
  if (options.store !== undefined) {
    const store = resolve(directory, options.store);
    if (isStore(store)) return store;
    throw new CtxError('not_a_repository', `There is no ctx store at ${store}.`, { hint: 'Make one with: ctx init' });
  }
  const found = findStore(directory);
  if (found) return found;
  throw new CtxError('not_a_repository', `There is no .ctx here or in any folder above ${resolve(directory)}.`, {
    hint: 'Make one with: ctx init',
  });
}

function checkStore(layout: Layout): void {
  checkLayout(layout);
  checkHead(layout);
  checkConfig(layout);
}

/** Checks a store for fsck: refuses only an unsafe store, or another kind of store. */
function checkSafety(layout: Layout): void {
  checkLayout(layout, true);
  if (!exists(layout.config)) return;
  try {
    checkConfig(layout);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
  }
}

/** Opens the store at or above a folder. @throws {CtxError} not_a_repository, unsupported_store, invalid_settings, damaged */
export function openRepository(options: OpenOptions = {}): Repository {
  const layout = layoutOf(locate(options));
  if (options.toCheck) checkSafety(layout);
  else checkStore(layout);
  const { settings, unknown } = settingsOf(layout, options) ?? { settings: DEFAULT_SETTINGS, unknown: [] };
  const repository = assemble(layout, settings, unknown, options);
  repository.secondNames.restoreLost();
  return repository;
}

function settingsOf(layout: Layout, { toCheck }: OpenOptions): ReturnType<typeof storedSettings> {
  try {
    return storedSettings(layout);
  } catch (error) {
    if (!toCheck || !(error instanceof CtxError)) throw error;
    return null;
  }
}

/** Assembles the parts of a store without checks: for `openRepository` and `init`. */
export function assemble(
  layout: Layout,
  settings: Settings,
  unknownSettings: string[],
  options: OpenOptions,
): Repository {
  const durability: Durability = { fsync: settings.fsync };
  pinFolder(layout.root, 'objects');
  const ids = options.ids ?? uuidSource();
  const lockWait = options.lockWait ?? LOCK_WAIT;
  const objects = new FileObjectStore(layout, ids, durability, options.machineTime);
  return {
    layout,
    // The project of a store with another name than `.ctx` (CTX_DIR) is the working directory.
    project: basename(layout.root) === '.ctx' ? dirname(layout.root) : resolve(options.directory ?? process.cwd()),
    settings,
    unknownSettings,
    objects,
    secondNames: objects.secondNames,
    refs: new FileRefs(layout, durability, lockWait, (ref, withBegun) => movesOf(layout, ref, withBegun)),
    clock: options.clock ?? systemClock(),
    ids,
    durability,
    lockWait,
    session: options.session ?? null,
    notices: [],
    saved: new Set(),
  };
}

/** Refuses a store that is gone since it was opened, or was replaced. @throws {CtxError} not_a_repository */
export const checkOpened = ({ layout }: Repository): void => checkPinned(layout.root);
