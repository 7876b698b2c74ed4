/** Withholds what a diff of several files shows of secret files. */
import { isSecretFile } from './secret-files.ts';
import { withholdFrom } from './withheld-marker.ts';

/** The beginning of the part of a file: its names before and after the change. */
const FILE = /^(?=diff --git |Index: |--- [^\n]{1,1100}\n\+\+\+ )/m;
const NAMES = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t\n]{1,1024})/gm;
const HUNKS = /^@@ /m;

/** Returns a diff without the hunks of secret files; the same text if it has none. */
export function withoutDiffs(text: string): string {
  return text.split(FILE).map(withoutHunks).join('');
}

function withoutHunks(part: string): string {
  const start = part.search(HUNKS);
  const names = [...part.slice(0, Math.max(0, start)).matchAll(NAMES)];
  return names.some(([, name = '']) => isSecretFile(name.trim())) ? withholdFrom(part, start) : part;
}
