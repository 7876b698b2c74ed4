/** Detects a transcript in which nobody has said anything yet: all of its records are the program's own. */
import type { TranscriptEvent } from '../../agents/contract/agent.ts';
import type { AgentTranscripts } from '../../agents/contract/transcript-places.ts';
import { agentNamed } from '../../agents/index.ts';
import { tidyAfter } from '../../platform/memory.ts';
import { UNREAD } from './source-file.ts';
import { firstLines, type TranscriptText, transcriptText } from './text.ts';
import { TranscriptLines } from './transcript.ts';

/** Returns the type of a record that is kept raw; undefined for any other event. */
export function typeOfRaw(event: TranscriptEvent): string | undefined {
  if (event.type !== 'record' || event.body.kind !== 'raw') return undefined;
  const { type } = event.body as { type?: unknown };
  return typeof type === 'string' ? type : 'unreadable';
}

/** Returns whether the first line of a text is not a record, not even an unfinished one. @throws {CtxError} io */
export function isNoRecord(text: TranscriptText): boolean {
  for (const line of firstLines(text)) if (line.trim() !== '') return !line.trimStart().startsWith('{');
  return false;
}

/** Returns whether every record of a file is known to be the program's own. @throws {CtxError} io */
export function isSilentTranscript({ agent: name, silent }: AgentTranscripts, file: string): boolean {
  const agent = agentNamed(name);
  if (!agent) return false;
  const text = transcriptText(file, agent);
  if (isNoRecord(text)) return false;
  const reader = agent.reader(null);
  for (const line of new TranscriptLines(text, UNREAD)) {
    tidyAfter(line.text?.length ?? 0);
    if (line.text === null) return false;
    for (const event of reader.line(line.text, line.number)) if (!isSilent(event, silent)) return false;
  }
  for (const event of reader.end()) if (!isSilent(event, silent)) return false;
  return true;
}

function isSilent(event: TranscriptEvent, silent: RegExp): boolean {
  if (event.type !== 'record') return event.type === 'about' || event.type === 'turn';
  const type = typeOfRaw(event);
  return type !== undefined && silent.test(type);
}
