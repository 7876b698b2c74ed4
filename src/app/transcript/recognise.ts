/** Recognises the agent and the session of a transcript by its content. */
import { basename, resolve } from 'node:path';
import type { Agent, TranscriptEvent } from '../../agents/contract/agent.ts';
import { AGENTS, agentNamed } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { plainName, presentForm } from '../../platform/compressed-file.ts';
import { collectionAt, collectionOwner } from './collections.ts';
import { besideOf } from './neighbouring-files.ts';
import { type Owner, ownerOf } from './owner.ts';
import { beginningOf, firstLines, type Recognised, type TranscriptText, transcriptText } from './text.ts';
import { formOf, hintFor, notRead } from './unread.ts';

/**
 * Recognises a file by its content, in its present form.
 * @param name the agent that the user names, which decides if the content does not
 * @throws {CtxError} usage, if there is no such agent; not_found, invalid_input, io
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
  // Of several sessions in one file, the first has the name of the file.
  for (const first of collectionAt(file, false, agent.name) ?? []) return first.open();
  const text = transcriptText(file, agent, owner?.agent === agent ? owner.begins : 0);
  return { agent, ...agentSessionOf(agent, text), text };
}

/** Refuses a file that is not text, naming its form. @throws {CtxError} invalid_input, io */
function refuseForm(file: string): void {
  const form = formOf(file);
  if (!form) return;
  throw new CtxError('invalid_input', `${file} ${notRead(form)}`, {
    data: { unread: form.reason },
    hint: hintFor(form.reason, file),
  });
}

/** Returns the agent that the user names, unless the file is another's: then all of its lines would be unknown. */
function labelledAgent(file: string, owner: Owner | null, agent: Agent): Agent {
  const { name } = agent;
  const other = owner?.agent.name ?? collectionOwner(file);
  if (other === undefined || other === name || agent.recognises(beginningOf(file))) return agent;
  throw new CtxError('invalid_input', `${file} is of ${other}, not of ${name}.`, {
    hint: `Ingest it with --agent ${other}, or without --agent.`,
  });
}

/** Returns the agent of a name. @throws {CtxError} usage, if ctx knows none */
export function requireAgent(name: string): Agent {
  const agent = agentNamed(name);
  if (agent) return agent;
  const known = AGENTS.map((candidate) => candidate.name).join(', ');
  throw new CtxError('usage', `There is no agent ${name}.`, { hint: `ctx reads transcripts of: ${known}` });
}

/**
 * Returns the id that the file name and the lines agree on, else the one in the first lines; if they state none, the
 * one in the file name, else the file name itself.
 */
function agentSessionOf(agent: Agent, text: TranscriptText): Pick<Recognised, 'agentSession' | 'isUnnamed'> {
  const stated = idInFirstLines(agent, text);
  const named = idInFileName(agent, text.file) ?? stated;
  if (stated === null)
    return { agentSession: named ?? basename(plainName(text.file)).replace(/\.jsonl?$/, ''), isUnnamed: true };
  return {
    agentSession:
      named !== null && named !== stated && sessionsNamed(agent, text, (id) => id === named) ? named : stated,
  };
}

/** Returns the id in a file's name; null if it has none. */
const idInFileName = (agent: Agent, file: string): string | null =>
  agent.sessionIds?.file.exec(resolve(file).replaceAll('\\', '/'))?.[1] ?? null;

/** Returns whether any line of a file that is named after its session names a session that meets a condition. */
export function sessionsNamed(agent: Agent, text: TranscriptText, is: (id: string) => boolean): boolean {
  const pattern = agent.sessionIds?.line;
  if (!pattern || idInFileName(agent, text.file) === null) return false;
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

/** Most characters that a line needs to name its session. */
const LONGEST_NAMING = 256;

/** Returns the id that the first lines state; null if they state none. */
function idInFirstLines(agent: Agent, text: TranscriptText): string | null {
  const reader = agent.reader(null, besideOf(agent, text.file));
  const events = function* (): Generator<TranscriptEvent> {
    let number = 0;
    for (const line of firstLines(text)) {
      number += 1;
      yield* reader.line(line, number);
    }
    // A reader may hold back an event until a message is complete.
    yield* reader.end();
  };
  for (const event of events()) {
    if (event.type === 'about' && event.session.agent_session_id) return event.session.agent_session_id;
  }
  return null;
}
