/** Detects copies of a transcript, and links to it, that add nothing to its conversation. */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { fileText, hashOf } from '../transcript/text.ts';

/** A file, and the conversation in it. */
interface Telling {
  agent: string;
  agent_session_id: string;
  file: string;
}

/**
 * Returns the conversations whose files are copies: of two equal files the agent's own is kept, of two different ones
 * the longer.
 */
export function copiesAmong<Each extends Telling>(conversations: readonly Each[]): ReadonlySet<Each> {
  const groups = new Map<string, Each[]>();
  for (const each of conversations) {
    const key = `${each.agent}\0${each.agent_session_id}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return new Set([...groups.values()].flatMap((group) => (group.length > 1 ? copiesOfOne(group) : [])));
}

/** Returns the copies among the files of one conversation. */
function copiesOfOne<Each extends Telling>(conversations: readonly Each[]): Each[] {
  const ranked = conversations.map((each) => ({ each, ...lookAt(each) }));
  ranked.sort((a, b) => b.size - a.size || a.rank - b.rank);
  return ranked.flatMap(({ each, size }, index) => {
    const isHeld = ranked.slice(0, index).some((other) => beginsWith(other.each.file, each.file, size));
    return isHeld ? each : [];
  });
}

/** Returns the size of a file, and how much its name looks like a copy's. */
function lookAt({ file, agent_session_id }: Telling): { size: number; rank: number } {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const isNamedSo = basename(file).includes(agent_session_id);
  return { size: fileText(file).size(), rank: 2 * Number(isLink) + Number(!isNamedSo) };
}

/** Returns whether a file begins with all bytes of another one. */
function beginsWith(file: string, other: string, size: number): boolean {
  return hashOf(fileText(file), 0, size) === hashOf(fileText(other), 0, size);
}
