/** Compares paths with the pattern of a rule, and with what lies where. */

/** Folders that patterns of paths refer to. */
export interface Around {
  /** The folder of the project; patterns without a leading slash are below it. */
  root: string;
  /** The user's home, for `~/`; null if unknown. */
  home: string | null;
}

/** Resolves `.` and `..` of a path, whose parts are separated by slashes. */
function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function absolute(path: string, { root, home }: Around): string {
  if (home !== null && (path === '~' || path.startsWith('~/'))) return resolved(home + path.slice(1));
  return resolved(/^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : `${root}/${path}`);
}

/** Returns a path as it is shown: from the project if it is in there. */
export function shownPath(path: string, around: Around): string {
  const whole = absolute(path, around);
  const root = resolved(around.root);
  return whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : whole;
}

/**
 * Returns whether a pattern covers a path: `**` is any number of folders, `*` is within a name, a pattern without a slash is any
 * file of that name in the project.
 */
export function coversPath(pattern: string, path: string, around: Around): boolean {
  const anywhere = !pattern.includes('/') && !pattern.startsWith('~');
  const whole = absolute(anywhere ? `**/${pattern}` : pattern, around);
  return regexOf(whole).test(absolute(path, around));
}

function regexOf(pattern: string): RegExp {
  const source = pattern
    .split('/')
    .slice(1)
    .map((part, index, all) => {
      if (part === '**') return index === all.length - 1 ? '(?:/[^]*)?' : '(?:/[^/]+)*';
      const name = part
        .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
        .replaceAll(/\*+/g, '[^/]*')
        .replaceAll('?', '[^/]');
      return `/${name}`;
    })
    .join('');
  return new RegExp(`^${source}$`, 'u');
}
