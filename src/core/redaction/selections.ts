/** What of files that are known to hold secrets stands in a text between tags that agents put around what the user attached. */
import { isSecretFile } from './files.ts';
import { withoutTold } from './told.ts';

/** A tag that names a file. */
const TAG =
  /<(code_selection|file_contents|attached_file|file)\s[^<>]{0,512}?\b(?:path|name)="([^"<>]{1,1024})"[^<>]{0,512}>/g;

/** A text without what it shows of such files; the same text where it shows nothing. */
export function withoutSelections(text: string): string {
  if (!text.includes('="')) return text;
  let kept = '';
  let end = 0;
  for (const { 0: tag, 1: name, 2: path = '', index } of text.matchAll(TAG)) {
    if (index < end || tag.endsWith('/>') || !isSecretFile(path)) continue;
    const start = index + tag.length;
    const close = text.indexOf(`</${name}>`, start);
    kept += text.slice(end, start);
    // Where its end was cut off, all that follows is of the file.
    end = close < 0 ? text.length : close;
    kept += withoutTold(text.slice(start, end));
  }
  return kept + text.slice(end);
}
