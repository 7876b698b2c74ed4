/** Subjects of rewritten commits: Git quotes them, and short ids, in the reflogs of any ref. */
import type { ObjectStore } from '../../git/objects/objects.ts';

/** As bytes, like the reflog: a subject of Git's may be in any encoding. */
export interface Quotes {
  /** The removed subjects and their replacements, the longest first. */
  subjects: readonly (readonly [gone: string, now: string])[];
  /** The rewritten ids, by their first seven digits. */
  ids: ReadonlyMap<string, readonly (readonly [gone: string, now: string])[]>;
}

/** The fewest digits to which Git shortens an id. */
const SHORTEST = 7;

/** Collects the quotes. @param changed the rewritten commits and tags, old to new */
export function quotesOf(objects: ObjectStore, changed: ReadonlyMap<string, string>): Quotes {
  const subjects = new Map<string, string>();
  const ids = new Map<string, [string, string][]>();
  for (const [gone, now] of changed) {
    const start = gone.slice(0, SHORTEST);
    ids.set(start, [...(ids.get(start) ?? []), [gone, now]]);
    const [before, after] = [gone, now].map((oid) => subjectAsQuoted(objects, oid));
    if (before && after && before !== after) subjects.set(before, after);
  }
  return { subjects: [...subjects].sort(([a], [b]) => b.length - a.length), ids };
}

/** Returns the first line of a commit's message as Git writes it to a reflog: with blanks collapsed. */
function subjectAsQuoted(objects: ObjectStore, oid: string): string {
  const { type, content } = objects.read(oid);
  if (type !== 'commit') return '';
  const text = content.toString('latin1');
  const message = text.slice(text.indexOf('\n\n')).trimStart();
  return (message.split('\n', 1)[0] ?? '').replace(/[ \t\r\v\f]+/g, ' ').trim();
}

/** Returns the message of a reflog line without the removed subjects and ids. */
export function withoutQuotes(message: string, { subjects, ids }: Quotes): string {
  let clean = message;
  for (const [gone, now] of subjects) clean = withoutSubject(clean, gone, now);
  return clean.replace(/\b[0-9a-f]{7,40}\b/g, (word) => {
    const known = ids.get(word.slice(0, SHORTEST))?.find(([gone]) => gone.startsWith(word));
    return known ? known[1].slice(0, word.length) : word;
  });
}

function withoutSubject(message: string, gone: string, now: string): string {
  let clean = '';
  let past = 0;
  for (let at = message.indexOf(gone); at >= 0; at = message.indexOf(gone, past)) {
    const end = at + gone.length;
    const isQuote = standsAsQuote(message.slice(0, at), gone, message.slice(end));
    clean += message.slice(past, at) + (isQuote ? now : gone);
    past = end;
  }
  return clean + message.slice(past);
}

/** Returns whether a match is a quoted subject: a single word counts only at the places of subjects in messages of Git. */
function standsAsQuote(before: string, subject: string, after: string): boolean {
  if (subject.includes(' ')) return !/[\w\x80-\xff]$/.test(before) && !/^[\w\x80-\xff]/.test(after);
  return /(: |[("'])$/.test(before) && /^($|, |[)"'])/.test(after);
}

/** Files in which Git leaves a message from an editor. */
const MESSAGE_OF_GIT = /(^|\/)[A-Z]+(_EDIT)?_?MSG$/;

/** Returns whether a file is such a message and contains a removed subject. */
export function matchesSubject(name: string, content: Buffer, { subjects }: Quotes): boolean {
  if (!MESSAGE_OF_GIT.test(name)) return false;
  const text = content.toString('latin1').replace(/[ \t\r\v\f]+/g, ' ');
  return subjects.some(([gone]) => text.includes(gone));
}
