/** Redacts search results of files that are known to hold secrets: their paths and line numbers stay, their lines do not. */
import { isSecretFile } from './secret-files.ts';
import { withholdFrom } from './withheld-marker.ts';

/** A path alone on its line, above the lines that were found in it: opencode and Gemini CLI write so. */
const HEADING = /^(?:File: (.+)|((?:[A-Za-z]:)?[/\\][^:]*|[^:\s]+):)\r?$/;
/** A line that was found, below such a path; any other is none, nor is what follows it. */
const NUMBERED = /^\s*(?:L|Line )?\d+[:-] ?/;
/** A path above all of its file, of many that Gemini CLI reads together; the next one ends it. */
const WHOLE_FILE = /^--- (.+) ---\r?$/;
/** Matches the text between a path and its line: a colon ends every path, a hyphen (of a line around a hit) may be part of it. */
const BEHIND_PATH = /:(?:\d+:)?|-\d+-/g;
/** Number of hyphens before a number that are tried. */
const MOST_HYPHENS = 16;
/** Matches the colon of a drive. */
const DRIVE = /^[A-Za-z]:(?=[/\\])/;
/** Longest path that a line is looked through for. */
const LONGEST = 1024;

/** A text of a search without what it reports such files; the same text if it says nothing. */
export function withoutSecretResults(text: string): string {
  let below: 'nothing' | 'lines' | 'file' = 'nothing';
  const lines = text.split('\n').map((line) => {
    const whole = WHOLE_FILE.exec(line);
    if (whole) below = isSecretFile(whole[1] ?? '') ? 'file' : 'nothing';
    else if (below === 'file') return withholdFrom(line);
    const number = below === 'lines' ? NUMBERED.exec(line)?.[0].length : undefined;
    if (number !== undefined) return withholdFrom(line, number);
    const heading = HEADING.exec(line);
    if (heading) below = isSecretFile(heading[1] ?? heading[2] ?? '') ? 'lines' : 'nothing';
    else if (below === 'lines') below = 'nothing';
    return whole || heading ? line : withholdFrom(line, lengthOfPath(line));
  });
  return lines.join('\n');
}

/** Returns how much of a line is before the text that was found in such a file; all of it where that is none. */
function lengthOfPath(line: string): number {
  const drive = DRIVE.exec(line)?.[0].length ?? 0;
  let tried = 0;
  for (const { 0: behind, index } of line.slice(drive, LONGEST).matchAll(BEHIND_PATH)) {
    const end = drive + index + behind.length;
    const path = line.slice(0, drive + index);
    if ((behind !== ':' || isAlone(path, line.slice(end, end + 2))) && isSecretFile(path)) return end;
    if (behind.startsWith(':') || ++tried === MOST_HYPHENS) break;
  }
  return line.length;
}

/** Without a number, a word before a colon is a key rather than a file, several are a sentence, and so is what follows one blank. */
const isAlone = (path: string, behind: string): boolean => /^\S*[./\\]\S*$/.test(path) && !/^ \S/.test(behind);
