/** Git's commit objects as ctx writes them: encoding, decoding, and trailers that a stranger's text cannot forge. */
import { damaged } from './errors.ts';
import { oneLine } from './text.ts';

export interface Commit {
  tree: string;
  parents: string[];
  author: string;
  /** Unix seconds. */
  authoredAt: number;
  /** Unix seconds. */
  committedAt: number;
  message: string;
}

/** A trailer: its key and one line of value. */
export type Trailer = [key: string, value: string];

/** Characters that Git takes off both ends of a name. */
const CRUD = ' .,:;"\'\\';

function withoutCrud(name: string): string {
  let [start, end] = [0, name.length];
  while (start < end && CRUD.includes(name.charAt(start))) start += 1;
  while (end > start && CRUD.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}

/** `name <ctx@localhost>`; a name with characters that Git gives a meaning to loses them. */
function identity(name: string, at: number): string {
  const plain = withoutCrud(oneLine(name.replaceAll('<', ' ').replaceAll('>', ' '), 100));
  return `${plain || 'ctx'} <ctx@localhost> ${Math.max(0, Math.floor(at))} +0000`;
}

/**
 * The message of a commit: one subject line, a blank line, the trailers. Every value is made one line, so that no text can
 * forge a trailer or hide one; the subject is never empty.
 */
export function commitMessage(subject: string, trailers: readonly Trailer[]): string {
  const lines = trailers.map(([key, value]) => `${key}: ${oneLine(value)}`.trimEnd());
  // Git reads nothing behind a line that looks like the scissors of an edited message.
  const plain = oneLine(subject);
  const line = plain.startsWith('#') ? plain.replace(/^#\s*(?=-+ >8 -+)/, '') : plain;
  return `${line || 'ctx'}\n\n${lines.join('\n')}\n`;
}

/** Bytes of a commit object. Author is the agent or ctx, committer is ctx, zone +0000. */
export function encodeCommit(commit: {
  tree: string;
  parents: readonly string[];
  author: string;
  /** When it was written; Unix seconds. */
  at: number;
  /** When its work was done; `at` if absent. Unix seconds. */
  authoredAt?: number | undefined;
  message: string;
}): Buffer {
  const head = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${identity(commit.author, commit.authoredAt ?? commit.at)}`,
    `committer ${identity('ctx', commit.at)}`,
  ];
  return Buffer.from(`${head.join('\n')}\n\n${commit.message}`);
}

const OID = /^[0-9a-f]{40}$/;
const PERSON = /^(.*) <[^<>]*> (\d+) [+-]\d{4}$/;

/** @throws {CtxError} damaged, if the bytes are no commit */
export function decodeCommit(content: Buffer, oid: string): Commit {
  const text = content.toString('utf8');
  const split = text.indexOf('\n\n');
  const commit: Commit = {
    tree: '',
    parents: [],
    author: '',
    authoredAt: 0,
    committedAt: 0,
    message: split < 0 ? '' : text.slice(split + 2),
  };
  for (const line of (split < 0 ? text : text.slice(0, split)).split('\n')) {
    const blank = line.indexOf(' ');
    const value = line.slice(blank + 1);
    const person = line.startsWith('author ') || line.startsWith('committer ') ? PERSON.exec(value) : null;
    if (line.startsWith('tree ')) commit.tree = value;
    else if (line.startsWith('parent ')) commit.parents.push(value);
    else if (line.startsWith('author ') && person) {
      commit.author = person[1] ?? '';
      commit.authoredAt = Number(person[2]);
    } else if (line.startsWith('committer ') && person) commit.committedAt = Number(person[2]);
  }
  if (!OID.test(commit.tree) || !commit.parents.every((parent) => OID.test(parent))) {
    throw damaged(`commit ${oid}`, 'it names no tree or a parent that is no object id');
  }
  return commit;
}

/** The subject: the first line of a message. */
export function subjectOf(message: string): string {
  const end = message.indexOf('\n');
  return end < 0 ? message : message.slice(0, end);
}

/** Reads the trailers of ctx in the last paragraph of a message; if a key comes twice, the last one counts, as in Git. */
export function trailersOf(message: string): Map<string, string> {
  const paragraph = message.trimEnd().split('\n\n').at(-1) ?? '';
  const trailers = new Map<string, string>();
  for (const line of paragraph.split('\n')) {
    const match = /^(Ctx-[A-Za-z-]+): ?(.*)$/.exec(line);
    if (match) trailers.set(match[1] as string, match[2] as string);
  }
  return trailers;
}
