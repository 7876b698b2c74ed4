/** `ctx init`: creates a store, or restores what is missing of one. */
import { join, resolve } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { CONFIG } from '../git/config.ts';
import { MAIN } from '../git/layout.ts';
import { writeRoot } from '../history/chain/canonical.ts';
import { ARCHIVE, layoutOf, SESSIONS } from '../history/names/layout.ts';
import { createLayout, hideFromGit, writeHead } from '../history/store/create.ts';
import { excludeFromGit } from '../history/store/exclude.ts';
import { assemble, type OpenOptions, openRepository, type Repository } from '../history/store/repository.ts';
import { DEFAULT_SETTINGS, readSettings, writeSetting } from '../history/store/settings.ts';
import { hasContent, wasStore } from '../history/store/store-detection.ts';
import { trust } from '../history/store/trust.ts';
import { transact } from '../history/transaction.ts';
import { exists } from '../platform/files.ts';
import { uuidSource } from '../platform/ids.ts';
import { findSecrets } from '../secrets/index.ts';
import { redactionOptions } from './redaction/redact.ts';
import { requireMain } from './session/active.ts';
import { type LinkedWorktree, linkedWorktree } from './setup/linked-worktree.ts';

export interface InitResult {
  /** The store's folder. */
  path: string;
  /** True if there was none before. */
  created: boolean;
  /** The store existed without a HEAD, which is restored. Absent otherwise. */
  head_restored?: true;
  /**
   * Settings that name a program were there before the store, and may be anybody's: it is not run. Absent otherwise.
   */
  program_found?: true;
  /** The file in which Git ignores the store, or null. */
  excluded_in: string | null;
  /** The linked worktree of Git that it is in and is removed with; null if there is none, or if Git is to track it. */
  linked_worktree: LinkedWorktree | null;
}

export interface InitOptions extends OpenOptions {
  /** Leave `.ctx` to be tracked by the Git repository around it. */
  tracked?: boolean | undefined;
  /** Remember the store as the user's own, so that its settings may name programs: if it is made here, or in any case. */
  trust?: 'if made' | 'always' | undefined;
  /** The folder of the project into which sessions are mirrored from now on. */
  conversations?: string | undefined;
}

/** Creates `.ctx` in a folder. Idempotent. */
export function initRepository(options: InitOptions): { repository: Repository; result: InitResult } {
  const project = resolve(options.directory ?? process.cwd());
  const layout = layoutOf(options.store === undefined ? join(project, '.ctx') : resolve(project, options.store));
  const ids = options.ids ?? uuidSource();
  if (options.conversations !== undefined) checkConversations(options.conversations, layout.settings);
  const hadSettings = exists(layout.settings);
  const isNew = createLayout(layout, CONFIG, ids());
  // One that is there must be one that ctx can use, before anything is done to it.
  if (!isNew) openRepository({ ...options, store: layout.root });
  const fresh = assemble(layout, DEFAULT_SETTINGS, [], options);
  // A store that has lost its main line must not get an empty one: that would hide its history.
  const isEmpty = fresh.refs.read(MAIN) === null;
  const isFull = (isNew || isEmpty) && hasHistory(fresh);
  const isLost = isEmpty && isFull;
  // A store known only by its folders is found and restored by its HEAD. With a HEAD, others would find nothing wrong.
  if (isLost && !wasStore(layout)) writeHead(layout, ids());
  transact(fresh, { command: 'init', message: 'init' }, (transaction) => {
    if (transaction.read(MAIN) !== null) return;
    if (isLost) requireMain(fresh.objects, transaction.read);
    transaction.move(MAIN, null, writeRoot(fresh.objects));
  });
  if (options.tracked) hideFromGit(layout, ids());
  writeHead(layout, ids());
  if (options.conversations !== undefined) writeSetting(fresh, 'conversations', options.conversations);
  const excluded = options.tracked ? null : excludeFromGit(layout.root);
  const repository = openRepository({ ...options, store: layout.root });
  const created = isNew && !isFull;
  const isFound = created && hadSettings && repository.settings.classifier !== null;
  // Files that the Git repository around it tracks may change by anybody's hand, and what lay there before may be anybody's.
  const isOwn = created && !options.tracked && !isFound;
  if (options.trust === 'always' || (options.trust && isOwn)) trust(fresh, options.trust === 'always');
  const linked_worktree = options.tracked ? null : linkedWorktree(layout.root);
  const restored = isNew && isFull ? ({ head_restored: true } as const) : {};
  const found = isFound && options.trust !== 'always' ? ({ program_found: true } as const) : {};
  const result = { path: layout.root, created, ...restored, ...found, excluded_in: excluded, linked_worktree };
  return { repository, result };
}

/** Checks the folder of conversations, before there is a store. @throws {CtxError} invalid_settings, invalid_input */
function checkConversations(folder: string, settings: string): void {
  readSettings(JSON.stringify({ conversations: folder }), settings);
  if (findSecrets(folder, redactionOptions(null)).length === 0) return;
  throw new CtxError('invalid_input', 'The name of the folder of conversations contains a secret.', {
    hint: 'Name another one: ctx init --conversations conversations',
  });
}

/** Returns whether anything was ever stored, or if that is damaged. */
function hasHistory(repository: Repository): boolean {
  const { refs } = repository;
  try {
    return refs.names(SESSIONS).length + refs.names(ARCHIVE).length > 0 || hasContent(repository.layout);
  } catch (error) {
    if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
    return true;
  }
}
