/** What a search tells of the lines of files that are known to hold secrets: where they stand stays, and not what they say. */
import { isSecretFile } from './files.ts';
import { withoutTold } from './told.ts';

/** A path alone on its line, above the lines that were found in it: opencode and Gemini CLI write so. */
const HEADING = /^(?:File: (.+)|((?:[A-Za-z]:)?[/\\][^:]*|[^:\s]+):)\r?$/;
/** What ends the lines below such a path. */
const END = /^(?:---)?\r?$/;
/** A path above all of its file, of many that Gemini CLI reads together; the next one ends it. */
const WHOLE_FILE = /^--- (.+) ---\r?$/;
const NUMBER = /^\s*L(?:ine )?\d+[:-] ?/;
/** What may stand between a path and its line: a colon ends every path, a hyphen (of a line around a hit) may be part of it. */
const BEHIND_PATH = /:(?:\d+:)?|-\d+-/g;
/** Where the colon of a drive stands. */
const DRIVE = /^[A-Za-z]:(?=[/\\])/;
/** Longest path that a line is looked through for. */
const LONGEST = 1024;

/** A text of a search without what it tells of such files; the same text where it tells nothing. */
export function withoutHits(text: string): string {
  let below: 'nothing' | 'lines' | 'file' = 'nothing';
  const lines = text.split('\n').map((line) => {
    const whole = WHOLE_FILE.exec(line);
    if (whole) below = isSecretFile(whole[1] ?? '') ? 'file' : 'nothing';
    else if (below === 'file') return withoutTold(line);
    const heading = HEADING.exec(line);
    if (heading) below = isSecretFile(heading[1] ?? heading[2] ?? '') ? 'lines' : 'nothing';
    else if (END.test(line)) below = 'nothing';
    else if (below === 'lines') return withoutTold(line, NUMBER.exec(line)?.[0].length ?? 0);
    return whole || heading ? line : withoutTold(line, lengthOfPath(line));
  });
  return lines.join('\n');
}

/** How much of a line stands before the text that was found in such a file; all of it where that is none. */
function lengthOfPath(line: string): number {
  const drive = DRIVE.exec(line)?.[0].length ?? 0;
  for (const { 0: behind, index } of line.slice(drive, LONGEST).matchAll(BEHIND_PATH)) {
    const path = line.slice(0, drive + index);
    // Without a number, a word before a colon is a key rather than a file, and several are a sentence.
    if ((behind !== ':' || /^\S*[./\\]\S*$/.test(path)) && isSecretFile(path)) return drive + index + behind.length;
    if (behind.startsWith(':')) break;
  }
  return line.length;
}
