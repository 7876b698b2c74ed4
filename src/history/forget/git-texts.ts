/** Replaces forgotten texts in commits, tags and reflogs: in names and messages. Git's own fields are never changed. */
import { type Finder, replaceBytes } from '../../core/stretches.ts';

/** Replaces them in bytes, given as Latin-1, that have no fields of Git. */
export const cleanAll = (text: string, finder: Finder): string =>
  replaceBytes(Buffer.from(text, 'latin1'), finder)?.toString('latin1') ?? text;

/** `name <address> seconds zone`: the name and the address are text. */
const PERSON = /^(.*) <([^<>\n]*)>( -?\d+ [+-]\d{4})$/;

function cleanPerson(person: string, finder: Finder): string {
  const [, name, address, time] = PERSON.exec(person) ?? [];
  // A torn line has no fields that Git could read.
  if (name === undefined || address === undefined) return cleanAll(person, finder);
  // A marker must not break the format.
  return `${cleanAll(name, finder)} <${cleanAll(address, finder)}>${time}`;
}

/** Headers that Git itself reads; any other may contain anything. */
const OF_GIT = /^(tree|parent|object|type|tag|encoding) /;

function cleanHeader(line: string, finder: Finder): string {
  if (OF_GIT.test(line)) return line;
  const [, key, value] = /^(author|committer|tagger) (.*)$/.exec(line) ?? [];
  if (key !== undefined && value !== undefined) return `${key} ${cleanPerson(value, finder)}`;
  // The key of a header, or the blank of its continuation, stays.
  const at = line.indexOf(' ') + 1;
  return line.slice(0, at) + cleanAll(line.slice(at), finder);
}

/** Returns a commit or a tag without the forgotten texts: in its message and names; the other headers stay. */
export function cleanTexts(content: Buffer, finder: Finder): Buffer {
  if (finder.find(content).length === 0) return content;
  const end = content.indexOf('\n\n');
  const head = content.toString('latin1', 0, end < 0 ? content.length : end);
  const lines = head.split('\n').map((line) => cleanHeader(line, finder));
  const rest = end < 0 ? Buffer.alloc(0) : content.subarray(end);
  return Buffer.concat([Buffer.from(lines.join('\n'), 'latin1'), replaceBytes(rest, finder) ?? rest]);
}

/** Returns the name in a tag; empty if it has none. */
export const nameOfTag = (content: Buffer): Buffer =>
  Buffer.from(/^tag (.*)$/m.exec(content.toString('latin1').split('\n\n', 1)[0] ?? '')?.[1] ?? '', 'latin1');

/** Rewrites the part of a reflog line behind the two object ids; torn text after it has no fields of Git. */
export function cleanLogTexts(rest: string, finder: Finder): string {
  const end = rest.search(/[\t\n]/);
  if (end < 0) return cleanPerson(rest, finder);
  return cleanPerson(rest.slice(0, end), finder) + rest.charAt(end) + cleanAll(rest.slice(end + 1), finder);
}
