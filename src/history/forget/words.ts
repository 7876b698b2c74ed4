/** What people said in commits, tags and reflogs: names and messages. The rest is Git's own, and never replaced. */
import { type Finder, replaceBytes } from '../../core/stretches.ts';

/** Bytes, as latin1, of which none is Git's own. */
export const cleanAll = (text: string, finder: Finder): string =>
  replaceBytes(Buffer.from(text, 'latin1'), finder)?.toString('latin1') ?? text;

/** `name <address> seconds zone`: the name and the address are words. */
const PERSON = /^(.*) <([^<>\n]*)>( -?\d+ [+-]\d{4})$/;

function cleanPerson(person: string, finder: Finder): string {
  const [, name, address, time] = PERSON.exec(person) ?? [];
  // One that is torn has nothing in it that Git could read.
  if (name === undefined || address === undefined) return cleanAll(person, finder);
  // A marker must not break what holds it.
  return `${cleanAll(name, finder)} <${cleanAll(address, finder)}>${time}`;
}

/** Headers that Git itself reads; any other may say anything. */
const OF_GIT = /^(tree|parent|object|type|tag|encoding) /;

function cleanHeader(line: string, finder: Finder): string {
  if (OF_GIT.test(line)) return line;
  const [, key, value] = /^(author|committer|tagger) (.*)$/.exec(line) ?? [];
  if (key !== undefined && value !== undefined) return `${key} ${cleanPerson(value, finder)}`;
  // The key of a header, or the blank before what goes on with it, stays.
  const at = line.indexOf(' ') + 1;
  return line.slice(0, at) + cleanAll(line.slice(at), finder);
}

/** A commit or a tag without what goes: its message and its names, headers stay what they are. */
export function cleanWords(content: Buffer, finder: Finder): Buffer {
  if (finder.find(content).length === 0) return content;
  const end = content.indexOf('\n\n');
  const head = content.toString('latin1', 0, end < 0 ? content.length : end);
  const lines = head.split('\n').map((line) => cleanHeader(line, finder));
  const rest = end < 0 ? Buffer.alloc(0) : content.subarray(end);
  return Buffer.concat([Buffer.from(lines.join('\n'), 'latin1'), replaceBytes(rest, finder) ?? rest]);
}

/** The name that a tag gives itself; nothing where it has none. */
export const nameOfTag = (content: Buffer): Buffer =>
  Buffer.from(/^tag (.*)$/m.exec(content.toString('latin1').split('\n\n', 1)[0] ?? '')?.[1] ?? '', 'latin1');

/** What follows the two object ids in a line of a reflog, without what goes; torn lines behind it have nothing of Git's. */
export function cleanLogWords(rest: string, finder: Finder): string {
  const end = rest.search(/[\t\n]/);
  if (end < 0) return cleanPerson(rest, finder);
  return cleanPerson(rest.slice(0, end), finder) + rest.charAt(end) + cleanAll(rest.slice(end + 1), finder);
}
