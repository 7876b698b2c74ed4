/** Says which paths of a project may be in a tree that `git fsck --strict` accepts, and how a path is written there. */

/** Longest path, in bytes of UTF-8, that is kept under `files/` (format rule of ctx). */
export const PATH_LIMIT = 1024;

/** Characters that HFS+ ignores in names: `.g\u200cit` is `.git` there (Git's own list). */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/** Names whose content Git reads, or short names of such on NTFS: `git fsck --strict` refuses or parses them. */
function isGitName(component: string): boolean {
  const name = component.replace(HFS_IGNORED, '').toLowerCase();
  // NTFS drops trailing dots and blanks, and takes what follows a colon for a stream.
  const stem = name.replace(/:.*$/su, '').replace(/[. ]+$/u, '');
  return stem === '.git' || stem === '.gitmodules' || stem === '.gitattributes' || /^(g|gi\w{0,6})?~\d+$/u.test(stem);
}

function isPlainComponent(component: string): boolean {
  return (
    component !== '' && component !== '.' && component !== '..' && !/[\0\\]/u.test(component) && !isGitName(component)
  );
}

/**
 * Returns the components below `files/` for a path relative to the project, or null if the path is not allowed there: it leads
 * out of the project, is absolute, is over 1,024 bytes, is not valid Unicode, or has a component that Git reserves.
 */
export function treePath(path: string): string[] | null {
  if (path === '' || path.startsWith('/') || /^[A-Za-z]:/u.test(path) || !path.isWellFormed()) return null;
  if (Buffer.byteLength(path) > PATH_LIMIT) return null;
  const components = path.split('/');
  return components.every(isPlainComponent) ? components : null;
}

/** Joins and normalises a path lexically: no empty component, no `.`, and no `..` that can be resolved. Slashes only. */
export function normalisePath(path: string): string {
  const absolute = path.startsWith('/');
  const kept: string[] = [];
  for (const component of path.split('/')) {
    if (component === '' || component === '.') continue;
    if (component === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (component !== '..' || !absolute) kept.push(component);
  }
  return `${absolute ? '/' : ''}${kept.join('/')}` || (absolute ? '/' : '.');
}

/** Removes the secrets from the part of a path below a root. The path is not normalised, since a URL would no longer look like one. */
export function cleanBelow(path: string, root: string, clean: (text: string) => string): string {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return path.startsWith(prefix) ? prefix + clean(path.slice(prefix.length)) : clean(path);
}

/** Returns a path as records name it: relative to the project root if inside it, else absolute. Both arguments must be absolute. */
export function recordPath(path: string, root: string): string {
  const tidy = normalisePath(path);
  const base = normalisePath(root);
  const prefix = base === '/' ? '/' : `${base}/`;
  return tidy !== base && tidy.startsWith(prefix) ? tidy.slice(prefix.length) : tidy;
}

/**
 * Returns what of a project a path selects: the path as records name it, or an empty one if it is the project's root or a folder
 * around it, so that everything is selected. Both arguments must be absolute.
 */
export function selectedPath(path: string, root: string): string {
  const named = recordPath(path, root);
  const base = normalisePath(root);
  const isAround = named === '/' || base === named || base.startsWith(`${named}/`);
  return isAround ? '' : named;
}

/** Returns whether a path is another one, or lies below it; everything lies below the empty one. */
export const isAtOrBelow = (path: string, above: string): boolean =>
  above === '' || path === above || path.startsWith(`${above}/`);
