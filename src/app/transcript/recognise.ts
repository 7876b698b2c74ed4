/** Whose a transcript is, and of which session: by its content. */
import { basename, resolve } from 'node:path';
import type { Agent, TranscriptEvent } from '../../agents/agent.ts';
import { AGENTS, agentNamed } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { plainName, presentForm } from '../../platform/compressed-file.ts';
import { collectionAt, collectionOwner } from './collections.ts';
import { besideOf } from './neighbouring-files.ts';
import { beginningOf, firstLines, type Recognised, type TranscriptText, transcriptText } from './text.ts';
import { formOf, hintFor, notRead } from './unread.ts';
import { type Owner, ownerOf } from './whose.ts';

/**
 * Recognises a file by its content, in whichever form it lies now.
 * @param name whose it is by the user's word, which decides where the content tells nothing
 * @throws {CtxError} usage, where there is no such agent; not_found, invalid_input, io
 */
export function recogniseTranscript(path: string, name: string | undefined): Recognised {
  const file = presentForm(path);
  const label = name === undefined ? undefined : requireAgent(name);
  const owner = ownerOf(file);
  const agent = label === undefined ? owner?.agent : labelledAgent(file, owner, label);
  if (!agent) {
    refuseForm(file);
    throw new CtxError('invalid_input', `${file} is no transcript that ctx knows.`, {
      hint: `It reads those of: ${AGENTS.map((known) => known.name).join(', ')}`,
    });
  }
  // Of several sessions in one file the first has its name.
  for (const first of collectionAt(file, false, agent.name) ?? []) return first.open();
  const text = transcriptText(file, agent, owner?.agent === agent ? owner.begins : 0);
  return { agent, ...agentSessionOf(agent, text), text };
}

/** Names the form of a file that is no text. @throws {CtxError} invalid_input, io */
function refuseForm(file: string): void {
  const form = formOf(file);
  if (!form) return;
  throw new CtxError('invalid_input', `${file} ${notRead(form)}`, {
    data: { unread: form.reason },
    hint: hintFor(form.reason, file),
  });
}

/** The agent that is named, unless the file is another's: read as what it is not, all of it would be lost in unknown lines. */
function labelledAgent(file: string, owner: Owner | null, agent: Agent): Agent {
  const { name } = agent;
  const other = owner?.agent.name ?? collectionOwner(file);
  if (other === undefined || other === name || agent.recognises(beginningOf(file))) return agent;
  throw new CtxError('invalid_input', `${file} is of ${other}, not of ${name}.`, {
    hint: `Ingest it with --agent ${other}, or without --agent.`,
  });
}

/** The agent of a name. @throws {CtxError} usage, where ctx knows none */
export function requireAgent(name: string): Agent {
  const agent = agentNamed(name);
  if (agent) return agent;
  const known = AGENTS.map((candidate) => candidate.name).join(', ');
  throw new CtxError('usage', `There is no agent ${name}.`, { hint: `ctx reads transcripts of: ${known}` });
}

/**
 * The id that a file is named after and its lines bear out, else the one of its first lines; where none tells one, the one that
 * it is named after, else its own name.
 */
function agentSessionOf(agent: Agent, text: TranscriptText): Pick<Recognised, 'agentSession' | 'isUnnamed'> {
  const told = idTold(agent, text);
  const named = idNamed(agent, text.file) ?? told;
  if (told === null)
    return { agentSession: named ?? basename(plainName(text.file)).replace(/\.jsonl?$/, ''), isUnnamed: true };
  return {
    agentSession: named !== null && named !== told && sessionsNamed(agent, text, (id) => id === named) ? named : told,
  };
}

/** The id that a file is named after; null where it is named after none. */
const idNamed = (agent: Agent, file: string): string | null =>
  agent.sessionIds?.file.exec(resolve(file).replaceAll('\\', '/'))?.[1] ?? null;

/** Whether any line of a file that is named after its session is of one for which this is so. */
export function sessionsNamed(agent: Agent, text: TranscriptText, is: (id: string) => boolean): boolean {
  const pattern = agent.sessionIds?.line;
  if (!pattern || idNamed(agent, text.file) === null) return false;
  const seen = new Set<string>();
  let before = '';
  for (const piece of text.pieces(0)) {
    const held = before + piece.toString('latin1');
    for (const [, id = ''] of held.matchAll(pattern)) {
      if (!seen.has(id) && is(id)) return true;
      seen.add(id);
    }
    before = held.slice(-LONGEST_NAMING);
  }
  return false;
}

/** Most characters that a line takes to name its session. */
const LONGEST_NAMING = 256;

/** The id that the first lines tell; null where none does. */
function idTold(agent: Agent, text: TranscriptText): string | null {
  const reader = agent.reader(null, besideOf(agent, text.file));
  const told = function* (): Generator<TranscriptEvent> {
    let number = 0;
    for (const line of firstLines(text)) {
      number += 1;
      yield* reader.line(line, number);
    }
    // A reader may hold back what it tells until a message is complete.
    yield* reader.end();
  };
  for (const event of told()) {
    if (event.type === 'about' && event.session.agent_session_id) return event.session.agent_session_id;
  }
  return null;
}
