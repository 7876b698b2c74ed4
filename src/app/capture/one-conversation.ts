/** Merges the files of one conversation, its segments or its two forms, so that it is counted once. */
import type { Agent } from '../../agents/contract/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import { transcriptText } from '../transcript/text.ts';
import type { CapturedConversation } from './captured.ts';
import { turnsBeyond } from './count.ts';

/** Returns the conversations, each once. @param isWhole whether a conversation lies in files of its own */
export function counted(
  conversations: readonly CapturedConversation[],
  isWhole: (each: CapturedConversation) => boolean,
): CapturedConversation[] {
  const groups = new Map<string, CapturedConversation[]>();
  for (const each of conversations) {
    const agent = agentNamed(each.agent);
    const mayBeSeveral = isWhole(each) && (agent?.goesOnFrom !== undefined || agent?.hasTwoForms === true);
    const key = mayBeSeveral ? `${each.agent}\0${each.agent_session_id}` : `${groups.size}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [CapturedConversation];
    const agent = agentNamed(first.agent);
    if (group.length === 1 || !agent) return first;
    return agent.hasTwoForms ? ofForms(agent, group) : ofSegments(group);
  });
}

/** Each segment has turns of its own. */
function ofSegments(group: readonly CapturedConversation[]): CapturedConversation {
  const inOrder = group.toSorted((a, b) => a.first_at - b.first_at || (a.file < b.file ? -1 : 1));
  return inOrder.reduce(together);
}

/** Merges two forms, which repeat each other: the fuller one counts, and what only the other one has. */
function ofForms(agent: Agent, group: readonly CapturedConversation[]): CapturedConversation {
  const [fullest, ...others] = group.toSorted((a, b) => b.turns - a.turns || b.written_at - a.written_at);
  return others.reduce((most, other) => {
    const turns = turnsBeyond(transcriptText(most.file, agent), agent, transcriptText(other.file, agent));
    const missing = Math.min(turns, other.turns - other.turns_stored);
    return together({ ...other, turns, turns_stored: turns - missing }, most);
  }, fullest as CapturedConversation);
}

/** Merges two results, under the file of the last. */
function together(before: CapturedConversation, last: CapturedConversation): CapturedConversation {
  const states = [before.captured, last.captured];
  const isRead = states.every((state) => state === 'captured' || state === 'incomplete');
  return {
    ...last,
    captured: before.captured === last.captured ? last.captured : isRead ? 'incomplete' : 'behind',
    turns: before.turns + last.turns,
    turns_stored: before.turns_stored + last.turns_stored,
    lines_lost: before.lines_lost + last.lines_lost,
    lost: [...before.lost, ...last.lost],
    told_by_hooks: before.told_by_hooks || last.told_by_hooks,
    answer_with: last.answer_with ?? before.answer_with,
    first_at: Math.min(before.first_at, last.first_at),
    last_at: Math.max(before.last_at, last.last_at),
    written_at: Math.max(before.written_at, last.written_at),
    other_files: [...(before.other_files ?? []), before.file, ...(last.other_files ?? [])],
  };
}
