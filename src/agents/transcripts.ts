/** The places of all agents' transcripts: data and pure functions; other modules look at the files themselves. */
import { claudeCodeTranscripts } from './claude-code/transcripts.ts';
import { codexTranscripts } from './codex/transcripts.ts';
import type { AgentCollections, AgentTranscripts } from './contract/transcript-places.ts';
import { copilotTranscripts } from './copilot/transcripts.ts';
import { cursorTranscripts } from './cursor/transcripts.ts';
import { geminiTranscripts } from './gemini/transcripts.ts';
import { opencodeCollections } from './opencode/transcripts.ts';
import { piTranscripts } from './pi/transcripts.ts';

/** Every agent whose transcripts can be found, in the order in which they are listed. */
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
