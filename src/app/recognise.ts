/** Whose a transcript is, and of which session: by its content. */
import type { Agent, TranscriptEvent } from '../agents/agent.ts';
import { AGENTS, agentNamed, recogniseAgent } from '../agents/index.ts';
import { CtxError } from '../core/errors.ts';
import { BEGINNING, beginningOf, type TranscriptText, transcriptText } from './transcript-text.ts';

/** A transcript, whose it is, and the agent's own id of the session. */
export interface Recognised {
  agent: Agent;
  agentSession: string;
  text: TranscriptText;
}

/** Recognises a file by its content. @throws {CtxError} not_found, invalid_input, io */
export function recogniseTranscript(file: string, name: string | undefined): Recognised {
  const beginning = beginningOf(file);
  const agent = name === undefined ? recogniseAgent(beginning) : agentNamed(name);
  if (!agent) {
    const known = AGENTS.map((candidate) => candidate.name).join(', ');
    throw name === undefined
      ? new CtxError('invalid_input', `${file} is no transcript that ctx knows.`, {
          hint: `It reads those of: ${known}`,
        })
      : new CtxError('invalid_input', `There is no agent ${name}.`, { hint: `ctx reads transcripts of: ${known}` });
  }
  const text = transcriptText(file, agent);
  return { agent, agentSession: agentSessionOf(agent, text), text };
}

/** The id that the first lines tell; the file's own name where none does. */
function agentSessionOf(agent: Agent, { file, pieces }: TranscriptText): string {
  const reader = agent.reader(null);
  const told = function* (): Generator<TranscriptEvent> {
    for (const piece of pieces(0)) {
      const lines = piece.subarray(0, BEGINNING).toString('utf8').split('\n');
      for (const [index, line] of lines.entries()) yield* reader.line(line, index + 1);
      break;
    }
    // A reader may hold back what it tells until a message is complete.
    yield* reader.end();
  };
  for (const event of told()) {
    if (event.type === 'about' && event.session.agent_session_id) return event.session.agent_session_id;
  }
  return file.replace(/^.*[\\/]/, '').replace(/\.jsonl?$/, '');
}
