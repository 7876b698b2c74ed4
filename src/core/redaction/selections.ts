/** What of files that are known to hold secrets stands in a text between tags that agents put around what the user attached. */
import { isSecretFile } from './files.ts';
import { isWithheld, withheldText, withoutTold } from './told.ts';

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

/** A tag is no longer than this. */
const LONGEST_TAG = 2200;
/** What is this long was not withheld before. */
const LONGEST_MARKER = 200;

/** The same for a text that comes in pieces of bytes, of which little is held: tags are ASCII, so each byte may count as a character. */
export function* piecesWithoutSelections(pieces: Iterable<Buffer>): Generator<Buffer> {
  let held = '';
  let inside: Inside | null = null;
  for (const piece of pieces) {
    held += piece.toString('latin1');
    let out = '';
    for (;;) {
      const step: Step = inside ? leave(held, inside) : enter(held);
      out += step.out;
      held = step.held;
      const isDone = step.inside === inside;
      inside = step.inside;
      if (isDone) break;
    }
    if (out !== '') yield Buffer.from(out, 'latin1');
  }
  const rest = inside ? toldOf(inside, held) : held;
  if (rest !== '') yield Buffer.from(rest, 'latin1');
}

/** Between the tags of such a file: what closes them, and what was passed over of it. */
interface Inside {
  readonly close: string;
  bytes: number;
  /** Its beginning, which tells whether it was withheld before. */
  begun: string;
}
/** What is given on, what is still held, and where it stands then. */
interface Step {
  out: string;
  held: string;
  inside: Inside | null;
}

function enter(held: string): Step {
  for (const { 0: tag, 1: name, 2: path = '', index } of held.matchAll(TAG)) {
    if (tag.endsWith('/>') || !isSecretFile(path)) continue;
    const end = index + tag.length;
    return { out: held.slice(0, end), held: held.slice(end), inside: { close: `</${name}>`, bytes: 0, begun: '' } };
  }
  // The beginning of a tag that may go on.
  const begin = held.lastIndexOf('<');
  const goesOn = begin > held.lastIndexOf('>') && held.length - begin < LONGEST_TAG;
  const end = goesOn ? begin : held.length;
  return { out: held.slice(0, end), held: held.slice(end), inside: null };
}

function leave(held: string, inside: Inside): Step {
  const close = held.indexOf(inside.close);
  if (close >= 0) return { out: toldOf(inside, held.slice(0, close)), held: held.slice(close), inside: null };
  const end = Math.max(0, held.length - inside.close.length);
  pass(inside, held.slice(0, end));
  return { out: '', held: held.slice(end), inside };
}

function pass(inside: Inside, told: string): void {
  inside.bytes += told.length;
  if (inside.begun.length <= LONGEST_MARKER) inside.begun += told.slice(0, LONGEST_MARKER + 1);
}

/** What stands in the place of all that was passed over. */
function toldOf(inside: Inside, last: string): string {
  pass(inside, last);
  const isWhole = inside.begun.length === inside.bytes;
  return isWhole && isWithheld(inside.begun) ? inside.begun : withheldText(inside.bytes);
}
