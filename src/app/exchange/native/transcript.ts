/** Writes the transcript of an agent from messages, reads it back, and finds what it lacks. */
import type { Agent } from '../../../agents/contract/agent.ts';
import type { TranscriptDraft, TranscriptWriter } from '../../../agents/contract/transcript-writer.ts';
import { documentOf } from '../../../agents/shared/document/document.ts';
import { type Conversation, emptyConversation } from '../../../core/conversation/conversation.ts';
import { foldConversation } from '../../../core/conversation/fold.ts';
import { historyOf } from '../../../core/exchange/history.ts';
import { type Loss, lossesOf } from '../../../core/exchange/losses.ts';
import { spokenOf, withThoughtsAsText } from '../../../core/exchange/spoken.ts';
import type { JsonValue } from '../../../core/json.ts';
import type { Message } from '../../../core/message.ts';

/** An agent whose transcripts ctx writes. */
export type WrittenAgent = Agent & { write: TranscriptWriter };

export const isWritten = (agent: Agent): agent is WrittenAgent => agent.write !== undefined;

/** Data from which a transcript is written. */
export interface TranscriptInput extends Omit<TranscriptDraft, 'messages'> {
  messages: readonly Message[];
  /** True if thoughts of another agent are written as marked texts. */
  thoughtsAsText: boolean;
}

/** A transcript, and what it lacks. */
export interface Transcript {
  text: string;
  losses: Loss[];
  /** State of a reader of the agent at its end. */
  cursor: JsonValue;
  /** Number of lines that it has for that reader. */
  lines: number;
}

/** A transcript that was read. */
interface Read {
  conversation: Conversation;
  cursor: JsonValue;
  lines: number;
}

/** Returns the lines of a transcript as its agent's reader takes them. */
function linesFor(agent: Agent, text: string): Iterable<string> {
  const unfolded = agent.unfold?.(documentOf(text));
  return unfolded ? unfolded.lines() : text.split('\n').filter((line) => line !== '');
}

/** Reads a transcript from its beginning. */
export function readTranscript(agent: Agent, text: string): Read {
  const reader = agent.reader(null);
  const conversation = emptyConversation();
  let lines = 0;
  for (const line of linesFor(agent, text)) {
    lines += 1;
    for (const event of reader.line(line, lines))
      if (event.type === 'record') foldConversation([event.body], conversation);
  }
  for (const event of reader.end()) if (event.type === 'record') foldConversation([event.body], conversation);
  return { conversation, cursor: reader.cursor(), lines };
}

/**
 * Writes a transcript.
 * @throws {CtxError} bug, if the transcript has another number of messages, or other roles or texts
 */
export function writeTranscript(agent: WrittenAgent, input: TranscriptInput): Transcript {
  const { messages: given, thoughtsAsText, ...about } = input;
  const { isOwn } = about;
  const source = thoughtsAsText && !isOwn ? withThoughtsAsText(given) : given;
  const { mayBeginWithAgent, keepsSystem = false } = agent.write;
  const messages = spokenOf(source, { isOwn, keepsSystem, mayBeginWithAgent });
  const records = agent.write.records({ ...about, messages });
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const { conversation, cursor, lines } = readTranscript(agent, text);
  const written = historyOf(conversation, false).map(({ message }) => message);
  const added = messages.filter(({ isAdded }) => isAdded).length;
  return { text, losses: lossesOf({ source, written, added, isOwn, keepsSystem }), cursor, lines };
}
