/** An open store: its parts, put together, and the checks that every command makes before it trusts it. */
import { basename, dirname, join, resolve } from 'node:path';
import { CtxError, damaged } from '../core/errors.ts';
import { DEFAULT_SETTINGS, readSettings, type Settings } from '../core/settings.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { DOCUMENT_LIMIT, type Durability, exists, LINES_LIMIT, readIfThere } from '../platform/files.ts';
import { type IdSource, uuidSource } from '../platform/ids.ts';
import { checkFormat } from './config.ts';
import { checkLayout } from './guard.ts';
import { type Layout, layoutOf } from './layout.ts';
import { FileObjectStore, type ObjectStore } from './objects.ts';
import { FileRefs, type Refs } from './refs.ts';

/** Longest wait for a lock, in milliseconds (format rule of ctx). */
export const LOCK_WAIT = 10_000;

/** Everything a use case needs. Made by `openRepository`. */
export interface Repository {
  layout: Layout;
  /** The folder that holds `.ctx`: paths in records are relative to it. */
  project: string;
  settings: Settings;
  /** Keys of settings.json that this version does not know. */
  unknownSettings: string[];
  objects: ObjectStore;
  refs: Refs;
  clock: Clock;
  ids: IdSource;
  durability: Durability;
  /** Longest wait for LOCK, in milliseconds. */
  lockWait: number;
  /** The session to work on instead of the one STAGE names: an id or the beginning of one. */
  session: string | null;
}

export interface OpenOptions {
  /** Where to look for `.ctx`, upwards; the working directory where absent. */
  directory?: string | undefined;
  /** The `.ctx` folder itself; nothing is looked for then. */
  store?: string | undefined;
  session?: string | null | undefined;
  clock?: Clock | undefined;
  ids?: IdSource | undefined;
  lockWait?: number | undefined;
}

/** The nearest `.ctx` at or above a folder, or null. */
export function findStore(directory: string): string | null {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const store = join(at, '.ctx');
    // One that has lost its HEAD is a store all the same: one further up must not answer in its place.
    if (['HEAD', 'refs/heads/main', 'packed-refs'].some((name) => exists(join(store, name)))) return store;
    if (dirname(at) === at) return null;
  }
}

function locate(options: OpenOptions): string {
  const directory = options.directory ?? process.cwd();
  if (options.store !== undefined) {
    const store = resolve(directory, options.store);
    if (exists(join(store, 'HEAD'))) return store;
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
  const head = readIfThere(layout.head, LINES_LIMIT)?.toString('utf8');
  if (head === undefined) throw damaged('HEAD', 'it is missing', { hint: 'Write it anew with: ctx init' });
  if (head.trim() !== 'ref: refs/heads/main') {
    throw new CtxError(
      'unsupported_store',
      `This store cannot be used: its HEAD does not say "ref: refs/heads/main".`,
      {
        hint: `If it is yours, put that line into ${layout.head}.`,
      },
    );
  }
  const config = readIfThere(layout.config, DOCUMENT_LIMIT)?.toString('utf8');
  if (config === undefined) {
    throw new CtxError('unsupported_store', `This store cannot be used: it has no config (${layout.config}).`, {
      hint: 'Write it anew with: ctx init',
    });
  }
  checkFormat(config);
}

/**
 * Opens the store at or above a folder.
 * @throws {CtxError} not_a_repository, unsupported_store, invalid_settings
 */
export function openRepository(options: OpenOptions = {}): Repository {
  const layout = layoutOf(locate(options));
  checkStore(layout);
  const text = readIfThere(layout.settings, DOCUMENT_LIMIT)?.toString('utf8');
  const { settings, unknown } =
    text === undefined ? { settings: DEFAULT_SETTINGS, unknown: [] } : readSettings(text, layout.settings);
  return assemble(layout, settings, unknown, options);
}

/** Puts the parts of a store together, unchecked: for `openRepository` and `init`. */
export function assemble(
  layout: Layout,
  settings: Settings,
  unknownSettings: string[],
  options: OpenOptions,
): Repository {
  const durability: Durability = { fsync: settings.fsync };
  const ids = options.ids ?? uuidSource();
  const lockWait = options.lockWait ?? LOCK_WAIT;
  return {
    layout,
    // A store under another name than `.ctx` (CTX_DIR) has its project where the user stands.
    project: basename(layout.root) === '.ctx' ? dirname(layout.root) : resolve(options.directory ?? process.cwd()),
    settings,
    unknownSettings,
    objects: new FileObjectStore(layout, ids, durability),
    refs: new FileRefs(layout, durability, lockWait),
    clock: options.clock ?? systemClock(),
    ids,
    durability,
    lockWait,
    session: options.session ?? null,
  };
}
