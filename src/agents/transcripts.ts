/** Where agents keep the transcripts of a project: data and pure functions; the files themselves are looked at elsewhere. */
import { claudeCodeTranscripts } from './claude-code/transcripts.ts';
import { codexTranscripts } from './codex/transcripts.ts';
import type { AgentCollections, AgentTranscripts } from './contract/transcript-places.ts';
import { copilotTranscripts } from './copilot/transcripts.ts';
import { cursorTranscripts } from './cursor/transcripts.ts';
import { geminiTranscripts } from './gemini/transcripts.ts';
import { opencodeCollections } from './opencode/transcripts.ts';
import { piTranscripts } from './pi/transcripts.ts';

/** Every agent whose transcripts can be found, in the order in which they are told. */
export const TRANSCRIPTS: readonly AgentTranscripts[] = [
  claudeCodeTranscripts,
  codexTranscripts,
  geminiTranscripts,
  piTranscripts,
  cursorTranscripts,
  copilotTranscripts,
];

/** Every agent that keeps many conversations in one place. */
export const COLLECTIONS: readonly AgentCollections[] = [opencodeCollections];
