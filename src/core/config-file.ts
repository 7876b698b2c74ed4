/** Git's config file, as far as a store may use it: read strictly, and only keys that ctx knows are let through. */

/** One assignment: `section.key`, or `section.subsection.key`, lower case but for the subsection. */
export interface ConfigEntry {
  key: string;
  value: string;
  /** From 1. */
  line: number;
}

/** Values that a key may hold; a key that is not here may not be in a store's config. */
const ALLOWED: { [key: string]: RegExp } = {
  'core.repositoryformatversion': /^0$/,
  'core.bare': /^true$/,
  'core.filemode': /^(true|false)$/,
  'core.ignorecase': /^(true|false)$/,
  'core.precomposeunicode': /^(true|false)$/,
  'core.symlinks': /^(true|false)$/,
  'core.logallrefupdates': /^always$/,
  'core.sharedrepository': /^0600$/,
  'gc.auto': /^0$/,
  'gc.pruneexpire': /^never$/,
  'gc.reflogexpire': /^never$/,
  'gc.reflogexpireunreachable': /^never$/,
};

/** The URL of a remote: a transport that runs no program, or a path; never `ext::` and never an option. */
const REMOTE_URL =
  /^(https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/|\/|\.{1,2}\/|[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:)(?!-)[^\s\p{Cc}]*$/u;
/**
 * The refspecs that a fetch may use: their destination is below `refs/remotes/` or `refs/tags/`. Any other destination may be a ref
 * of ctx, which a fetch would move, or with --prune delete. A refspec that begins with `^` only excludes refs.
 */
const REMOTE_FETCH =
  /^(?!.*(?:\.\.|\/\/|\/\.))(?:\^refs\/[\w./*-]+|\+?refs\/[\w./*-]+:refs\/(?:tags|remotes\/[\w][\w.-]*)\/[\w./*-]+)$/;

/** Returns the remote for which a key says where to put what is fetched; null if the key says something else. */
export const fetchedRemote = (key: string): string | null => /^remote\.([\w-]+)\.fetch$/.exec(key)?.[1] ?? null;

/** Reads a config. @throws {SyntaxError} with the number of the line, if it is no config or uses what no store needs */
export function parseConfig(text: string): ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  let section = '';
  for (const [index, raw] of text.split('\n').entries()) {
    // Only what is blank to Git is taken off.
    const line = raw.replace(/^[ \t]+|[ \t\r]+$/g, '');
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\p{Cc}]|\\["\\])*)")?\]$/u.exec(line);
    if (header) {
      const name = (header[1] as string).toLowerCase();
      section = header[2] === undefined ? name : `${name}.${header[2].replace(/\\(["\\])/g, '$1')}`;
      continue;
    }
    const assignment = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?$/.exec(line);
    // Quotes, comments after a value, continued lines and control characters are not allowed in the config of a store: they can
    // hide a setting, and so can a NUL, at which Git ends a value.
    if (!assignment || section === '' || /["\\#;]|[^\P{Cc}\t]/u.test(assignment[2] ?? '')) {
      throw new SyntaxError(`line ${index + 1} cannot be read`);
    }
    const key = `${section}.${(assignment[1] as string).toLowerCase()}`;
    entries.push({ key, value: assignment[2] ?? 'true', line: index + 1 });
  }
  return entries;
}

/** Returns the entries that may not be in a store's config, because they could run a program or change what Git promises. */
export function forbiddenEntries(entries: readonly ConfigEntry[]): ConfigEntry[] {
  return entries.filter(({ key, value }) => {
    const remote = /^remote\.[A-Za-z0-9_-]+\.(url|fetch)$/.exec(key)?.[1];
    if (remote !== undefined) return !(remote === 'url' ? REMOTE_URL : REMOTE_FETCH).test(value);
    return !(Object.hasOwn(ALLOWED, key) && (ALLOWED[key] as RegExp).test(value));
  });
}
