/** Detects a conversation that had a task before its first hook: the first prompt of a hook may be only "looks good". */
import { classifyMessage } from '../../language/index.ts';
import type { Hook } from '../ingest/hook-session.ts';
import { AT_LEAST, sizeOf } from '../ingest/increment.ts';
import { findSource } from '../transcript/source.ts';
import { UNREAD } from '../transcript/source-file.ts';
import { transcriptText } from '../transcript/text.ts';
import { TranscriptLines } from '../transcript/transcript.ts';

/**
 * Returns whether no session has a part of a conversation, and the first of several prompts in its transcript begins a
 * task.
 */
export function hadEarlierTask({ repository, conversation, agent, event: { transcript } }: Hook): boolean {
  const size = transcript === null ? 0 : sizeOf(transcript);
  if (!agent || transcript === null || size === 0 || size > AT_LEAST) return false;
  // A conversation whose session has ended is not searched for its beginning at the end of each turn.
  if (findSource(repository, conversation.agent, conversation.agent_session)) return false;
  const text = transcriptText(transcript, agent);
  const reader = agent.reader(null);
  const prompts: string[] = [];
  for (const line of new TranscriptLines(text, UNREAD)) {
    if (line.text === null) continue;
    for (const told of reader.line(line.text, line.number)) if (told.type === 'prompt') prompts.push(told.text);
  }
  for (const told of reader.end()) if (told.type === 'prompt') prompts.push(told.text);
  const [first] = prompts;
  if (first === undefined || prompts.length < 2) return false;
  return classifyMessage({ state: null, message: first }).classification === 'NewTask';
}
