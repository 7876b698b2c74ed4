/** `ctx capture status`: compares what is stored of this project's conversations with the agents' own transcripts. */

import { basename } from 'node:path';
import type { Agent } from '../../agents/contract/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { waitingChoice } from '../../history/pending/choices.ts';
import type { Repository } from '../../history/store/repository.ts';
import { forgottenIn } from '../intake/forgotten-transcript.ts';
import { answerCommand } from '../session/waiting.ts';
import type { Surroundings } from '../setup/hook-places.ts';
import { conversationIn } from '../transcript/conversation-id.ts';
import { presentPath, projectTranscripts, transcriptAt } from '../transcript/files.ts';
import type { TranscriptFile, TranscriptProblem } from '../transcript/found-transcripts.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import { isNoRecord } from '../transcript/silent-transcript.ts';
import { type KnownReadings, knownReadings } from '../transcript/source.ts';
import type { Recognised } from '../transcript/text.ts';
import { unreadBy } from '../transcript/unread.ts';
import type { Captured, CapturedConversation } from './captured.ts';
import { copiesAmong } from './copies.ts';
import { beginsSession, type Count, countMissing, countTurns, type LostLine } from './count.ts';
import { counted } from './one-conversation.ts';
import { compareSubAgents } from './sub-agents.ts';

export type { Captured, CapturedConversation };

/** The environment, to find the home folder. */
export type Around = Pick<Surroundings, 'environment'>;

export interface CaptureStatus {
  /** Oldest first. */
  conversations: CapturedConversation[];
  turns: number;
  turns_stored: number;
  /** Conversations with missing parts that can be ingested, and those with lines that cannot be read. */
  behind: number;
  incomplete: number;
  /** Texts that agents have written and ctx does not read. */
  problems: TranscriptProblem[];
  /** True if nothing is missing, as far as is known. */
  complete: boolean;
}

/** Compares; changes nothing. @throws {CtxError} not_found, if no home folder is known; damaged */
export const captureStatus = (repository: Repository, around: Around): CaptureStatus =>
  compared(repository, around).status;

/** The status, with the readers of conversations in collections, and the missing transcripts of sub-agents. */
export interface Compared {
  status: CaptureStatus;
  openers: ReadonlyMap<CapturedConversation, () => Recognised>;
  subAgents: ReadonlyMap<CapturedConversation, readonly TranscriptFile[]>;
}

export function compared(repository: Repository, around: Around): Compared {
  const known = knownReadings(repository);
  const found = projectTranscripts(repository.project, around);
  const conversations: CapturedConversation[] = [];
  const openers = new Map<CapturedConversation, () => Recognised>();
  const subAgents = [...found.sub_agents];
  /** Compares files; returns what is not read of them. */
  const compare = (files: readonly TranscriptFile[]): TranscriptProblem[] => {
    const problems: TranscriptProblem[] = [];
    for (const file of files) {
      try {
        const compared = conversationOf(repository, file, known, (problem) => problems.push(problem));
        if (compared === 'sub-agent') subAgents.push(file);
        else if (compared) {
          conversations.push(compared);
          if (file.open) openers.set(compared, file.open);
        }
      } catch (error) {
        if (!(error instanceof CtxError) || error.code === 'damaged') throw error;
        problems.push(unreadBy(file.agent, file.file, error));
      }
    }
    return problems;
  };
  const problems = onceEach([...found.problems, ...compare(found.files)]);
  const taken = new Set([...found.files, ...found.sub_agents].map(({ file }) => presentPath(file)));
  const named = new Set(problems.map(({ file }) => presentPath(file)));
  // A hook names its transcript: the agent may keep it elsewhere than this environment says, or under the project's
  // former name.
  for (const { source } of known.all) {
    const { agent, agent_session_id, transcript } = source;
    const isSame = (one: CapturedConversation): boolean =>
      one.agent === agent && one.agent_session_id === agent_session_id;
    if (conversations.some(isSame) || taken.has(presentPath(transcript))) continue;
    const again = transcriptAt(repository, agent, transcript);
    // A file that was reported before is not a second one, whatever id the store uses.
    const more = [...again.problems, ...compare(again.files)].filter(({ file }) => !named.has(presentPath(file)));
    problems.push(...more);
    subAgents.push(...again.sub_agents);
    for (const { file } of more) named.add(presentPath(file));
  }
  const copies = copiesAmong(conversations.filter((each) => !openers.has(each)));
  const own = counted(
    conversations.filter((each) => !copies.has(each)),
    (each) => !openers.has(each),
  );
  const children = compareSubAgents(repository, subAgents, known, own);
  problems.push(...children.problems);
  own.sort((a, b) => a.first_at - b.first_at || (a.file < b.file ? -1 : 1));
  const counting = own.filter(({ captured }) => captured !== 'forgotten' && captured !== 'unbegun');
  const sum = (key: 'turns' | 'turns_stored'): number => counting.reduce((total, each) => total + each[key], 0);
  const number = (passes: (each: CapturedConversation) => boolean): number => counting.filter(passes).length;
  const behind = number(({ captured }) => captured === 'behind' || captured === 'never');
  const incomplete = number(({ lines_lost }) => lines_lost > 0);
  const status = {
    conversations: own,
    turns: sum('turns'),
    turns_stored: sum('turns_stored'),
    behind,
    incomplete,
    problems,
    complete: behind === 0 && incomplete === 0 && problems.length === 0,
  };
  return { status, openers, subAgents: children.missing };
}

/** Compares one conversation; `sub-agent` if it is one's, null if there is nothing in it to capture. */
function conversationOf(
  repository: Repository,
  { agent: name, file, written_at, open }: TranscriptFile,
  known: KnownReadings,
  tell: (problem: TranscriptProblem) => void,
): CapturedConversation | 'sub-agent' | null {
  const transcript = open?.() ?? recogniseTranscript(file, name);
  const { agent, text } = transcript;
  const all = countTurns(text, agent);
  if (all.isSubAgents) return 'sub-agent';
  for (const problem of beyondOf(agent, file, all, known)) tell(problem);
  if (all.turns === 0) {
    const [first] = all.lost.first;
    if (first) throw unreadable(file, first);
    if (isNoRecord(text)) throw unknown(file, 'text that is no record');
    const strange = strangeType(name, all.raw);
    if (strange !== undefined) throw unknown(file, strange);
    return null;
  }
  const agent_session_id = conversationIn(repository, transcript, known);
  const base = { agent: name, agent_session_id, file };
  const times = { first_at: all.first_at ?? written_at, last_at: all.last_at ?? written_at, written_at };
  const forgotten = forgottenIn(repository, transcript, agent_session_id, known);
  const reading = forgotten ? null : known.of(name, agent_session_id);
  const session_id = forgotten?.session_id ?? reading?.session_id ?? null;
  const missing = reading
    ? countMissing(repository, text, agent, reading, all.offset)
    : { turns: all.turns, is_rest: false };
  const whole = Math.max(0, all.turns - missing.turns - (missing.is_rest ? 1 : 0));
  const stored = whole - [...all.lost.turns].filter((turn) => turn > 0 && turn <= whole).length;
  const isWhole = missing.turns === 0 && !missing.is_rest;
  const none = (): Captured => (forgotten ? 'forgotten' : beginsSession(text, agent) ? 'never' : 'unbegun');
  const captured = !reading ? none() : !isWhole ? 'behind' : all.lost.lines > 0 ? 'incomplete' : 'captured';
  const isAsked = captured === 'behind' && session_id !== null && waitingChoice(repository, session_id) !== null;
  const lost = { lines_lost: all.lost.lines, lost: all.lost.first };
  const counts = { turns: all.turns, turns_stored: stored, sub_agents: 0, sub_agents_stored: 0 };
  const answer_with = isAsked ? answerCommand(repository, session_id) : null;
  const told_by_hooks = captured === 'behind' && reading?.source.transcript === '';
  return {
    ...base,
    captured,
    ...counts,
    ...lost,
    partial: missing.is_rest,
    told_by_hooks,
    session_id,
    answer_with,
    ...times,
  };
}

/** Returns a type of records that is unexpected in a transcript without a prompt; undefined if there is none. */
function strangeType(name: string, types: ReadonlySet<string>): string | undefined {
  const silent = agentNamed(name)?.places?.().silent;
  return silent && [...types].find((type) => !silent.test(type));
}

const unknown = (file: string, type: string): CtxError =>
  new CtxError('invalid_input', `${file} holds no prompt that ctx knows, but what it does not know: ${type}`, {
    data: { unread: 'unknown' },
  });

const unreadable = (file: string, { line, message }: LostLine): CtxError =>
  new CtxError('invalid_input', `${file} holds no prompt that can be read; line ${line}: ${message}`);

/** Deduplicates problems: two places of an agent may lie behind one link. */
function onceEach(problems: readonly TranscriptProblem[]): TranscriptProblem[] {
  const byPlace = new Map(problems.map((problem) => [`${presentPath(problem.file)}\0${problem.message}`, problem]));
  return [...byPlace.values()];
}

function* beyondOf(
  agent: Agent,
  file: string,
  { beyond }: Pick<Count, 'beyond'>,
  known: KnownReadings,
): Generator<TranscriptProblem> {
  for (const { missing, message: what } of beyond) {
    // A file that was read before it disappeared is kept.
    if (missing !== undefined && isKept(agent, file, missing, known)) continue;
    const message = `${file} ${what}.`;
    const hint =
      missing === undefined
        ? 'Upgrade ctx, then: ctx capture catch-up --all'
        : 'Put that one back beside it, then: ctx capture catch-up --all';
    yield { agent: agent.name, file, reason: missing === undefined ? 'newer' : 'missing', message, hint };
  }
}

/** Returns whether a session was read from the file that another one names. */
function isKept({ name, others }: Agent, file: string, id: string, { all }: KnownReadings): boolean {
  const isIt = (path: string): boolean => (others?.rank(basename(path), basename(file), id) ?? null) !== null;
  return all.some(
    ({ source }) =>
      source.agent === name && [source, ...(source.other_files ?? [])].some(({ transcript }) => isIt(transcript)),
  );
}
