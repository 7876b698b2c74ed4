/** What a difference of several files, as Git writes it, shows of those that are known to hold secrets. */
import { isSecretFile } from './secret-files.ts';
import { withholdFrom } from './withheld-marker.ts';

/** Where the part of a file begins: with its name in both states. */
const FILE = /^(?=diff --git |Index: |--- [^\n]{1,1100}\n\+\+\+ )/m;
const NAMES = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]{1,1024})/gm;
const HUNKS = /^@@ /m;

/** A difference without what it shows of such files; the same text where it shows nothing. */
export function withoutDiffs(text: string): string {
  return text.split(FILE).map(withoutHunks).join('');
}

function withoutHunks(part: string): string {
  const start = part.search(HUNKS);
  const names = [...part.slice(0, Math.max(0, start)).matchAll(NAMES)];
  return names.some(([, name = '']) => isSecretFile(name.trim())) ? withholdFrom(part, start) : part;
}
