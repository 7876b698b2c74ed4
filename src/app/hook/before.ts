/** Whether a conversation had a task before hooks heard of it: what they heard first may be only "looks good". */
import { classifyMessage } from '../../language/index.ts';
import type { Hook } from '../ingest/hook-session.ts';
import { AT_LEAST, sizeOf } from '../ingest/increment.ts';
import { findSource } from '../transcript/source.ts';
import { UNREAD } from '../transcript/source-file.ts';
import { transcriptText } from '../transcript/text.ts';
import { TranscriptLines } from '../transcript/transcript.ts';

/** Whether no session has anything of it, and the first prompt of several that its transcript tells of is one that begins a task. */
export function hadTaskBefore({ repository, conversation, agent, event: { transcript } }: Hook): boolean {
  const size = transcript === null ? 0 : sizeOf(transcript);
  if (!agent || transcript === null || size === 0 || size > AT_LEAST) return false;
  // Of one whose session has ended there is no beginning to be looked for at the end of each turn.
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
