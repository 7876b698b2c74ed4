/** Corrects what Git has written to the config of a store: a forbidden entry would make all later commands refuse the store. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { type ConfigEntry, forbiddenEntries, parseConfig } from '../core/config-file.ts';
import { CtxError } from '../core/errors.ts';
import { configText } from './config.ts';
import { missingFrom } from './config-entries.ts';
import { checkGitConfig, gitCommand, NOWHERE } from './git.ts';
import type { StoreFiles } from './store-files.ts';

/**
 * Corrects the config after Git has run, entry by entry and by Git itself: other processes may be changing it.
 * @param before its text before Git ran: entries that were missing then are left to `ctx fsck`
 * @throws {CtxError} unsupported_store, with what Git had done
 */
export function checkWrittenConfig(repository: StoreFiles, before: string): void {
  const now = configText(repository.layout);
  if (now === before || isRight(now)) return;
  const was = parseConfig(before);
  const missing = new Set(missingFrom(was).map(({ key }) => key));
  const entries = listed(repository);
  const forbidden = entries.filter((entry) => forbiddenEntries([entry]).length > 0 || QUOTED.test(entry.value));
  for (const { key, value } of forbidden)
    if (!change(repository, ['--fixed-value', '--unset-all', key, value])) change(repository, ['--unset-all', key]);
  restoreRemotes(repository, was, new Set(forbidden.map(({ key }) => key)));
  const lost = missingFrom(listed(repository)).filter(({ key }) => !missing.has(key));
  for (const { key, value } of lost) change(repository, [key, value]);
  checkGitConfig(repository.layout);
  if (forbidden.length + lost.length === 0) return;
  const names = [...new Set([...forbidden, ...lost].map(({ key }) => key))];
  throw new CtxError(
    'unsupported_store',
    `Git has changed ${names.join(', ')} in the config of this store, which no store may have so: that is put right again.`,
    {
      hint: 'Of the keys that Git may write, a store has only remote.<name>.url and remote.<name>.fetch: ctx git remote add <name> <url>',
    },
  );
}

/**
 * Removes what Git has written about a new remote with a forbidden URL, and restores the values that a forbidden one has
 * replaced.
 */
function restoreRemotes(repository: StoreFiles, was: readonly ConfigEntry[], forbidden: ReadonlySet<string>): void {
  for (const key of forbidden) {
    const section = /^remote\..+(?=\.)/s.exec(key)?.[0];
    if (section === undefined) continue;
    // A remote that is only forbidden to mirror is useful without that.
    const isMirror = key === `${section}.mirror`;
    if (!isMirror && !was.some((entry) => entry.key.startsWith(`${section}.`)))
      change(repository, ['--remove-section', section]);
    const now = listed(repository).filter((entry) => entry.key === key);
    for (const { value } of was.filter((entry) => entry.key === key))
      if (!now.some((entry) => entry.value === value)) change(repository, ['--add', key, value]);
  }
}

/** Characters that Git writes only in quotes, which the config of a store may not have. */
const QUOTED = /["\\#;\p{Cc}]|^\s|\s$/u;

/** Returns whether a config has all required entries and no forbidden ones. */
function isRight(text: string): boolean {
  try {
    const entries = parseConfig(text);
    return forbiddenEntries(entries).length + missingFrom(entries).length === 0;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Returns the entries of the config as Git reads them. */
function listed(repository: StoreFiles): ConfigEntry[] {
  const entries = configOf(repository, ['--list', '-z']).stdout.split('\0').slice(0, -1);
  return entries.map((entry) => {
    const [key = '', ...value] = entry.split('\n');
    return { key, value: value.join('\n'), line: 0 };
  });
}

const change = (repository: StoreFiles, words: readonly string[]): boolean => configOf(repository, words).status === 0;

/** Runs `git config` on the file, whatever it contains: Git must follow no setting in it. */
function configOf(repository: StoreFiles, words: readonly string[]): SpawnSyncReturns<string> {
  const { file, env } = gitCommand(repository);
  const { GIT_COMMON_DIR: _common, ...rest } = env;
  return spawnSync(file, ['config', '--file', repository.layout.config, ...words], {
    encoding: 'utf8',
    env: { ...rest, GIT_DIR: NOWHERE },
  });
}
