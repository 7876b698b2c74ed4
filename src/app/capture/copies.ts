/** Files that tell nothing of a conversation but what another one of it tells: copies of a transcript, and links to it. */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { fileText, hashOf } from '../transcript/text.ts';

/** A file, and the conversation of an agent's that it tells. */
interface Telling {
  agent: string;
  agent_session_id: string;
  file: string;
}

/** Those whose files are copies: of two that are the same the agent's own is none, of two that differ the longer. */
export function copiesAmong<Each extends Telling>(conversations: readonly Each[]): ReadonlySet<Each> {
  const groups = new Map<string, Each[]>();
  for (const each of conversations) {
    const key = `${each.agent}\0${each.agent_session_id}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return new Set([...groups.values()].flatMap((group) => (group.length > 1 ? copiesOfOne(group) : [])));
}

/** Of one conversation. */
function copiesOfOne<Each extends Telling>(conversations: readonly Each[]): Each[] {
  const ranked = conversations.map((each) => ({ each, ...lookAt(each) }));
  ranked.sort((a, b) => b.size - a.size || a.rank - b.rank);
  return ranked.flatMap(({ each, size }, index) => {
    const isHeld = ranked.slice(0, index).some((other) => beginsWith(other.each.file, each.file, size));
    return isHeld ? each : [];
  });
}

/** The size of a file, and how much it looks like a copy by its name. */
function lookAt({ file, agent_session_id }: Telling): { size: number; rank: number } {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const isNamedSo = basename(file).includes(agent_session_id);
  return { size: fileText(file).size(), rank: 2 * Number(isLink) + Number(!isNamedSo) };
}

/** Whether a file begins with all of another one, of so many bytes. */
function beginsWith(file: string, other: string, size: number): boolean {
  return hashOf(fileText(file), 0, size) === hashOf(fileText(other), 0, size);
}
