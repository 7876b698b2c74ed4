/** Gathers the context block of a session: what a resumed agent is given of it. */

import { NO_RESULT } from '../../agents/shared/parts.ts';
import { isStopped } from '../../core/listing/status.ts';
import { titleOf } from '../../core/listing/title.ts';
import { mapPath, originInWords } from '../../core/origin.ts';
import type { Digest } from '../../core/records/digest.ts';
import { newDigest } from '../../core/records/digest.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import { type Block, contextBlock, type Fact, type Section, type Stop } from '../../core/resume/context-block.ts';
import { ABORTED, type Turn, turnsOf, turnsOfRecords } from '../../core/resume/turns.ts';
import { roomOf } from '../../core/resume/windows.ts';
import { digestRecord } from '../../core/session/compaction.ts';
import type { Session } from '../../core/session/session.ts';
import { oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { readSteps } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { writeDurably } from '../../platform/files.ts';
import { fillRandom } from '../../platform/hash.ts';
import { resumedSessions, type StoredSession } from '../conversation/load.ts';
import { readConversation } from '../conversation/read.ts';
import { openSession } from '../session/active.ts';

/** Tokens of a block that may not hold the whole history, unless a budget is given. */
const DEFAULT_BUDGET = 8_000;

export interface ContextOptions {
  /** Most tokens of the block. */
  budget?: number | undefined;
  /** The whole history, whatever the model has room for. */
  full?: boolean | undefined;
  /** Random hexadecimal digits; of the system if absent. */
  random?: (() => string) | undefined;
  /** Remarks beside the request. */
  remarks?: readonly string[] | undefined;
  /** The words in which the status of the session is shown. */
  status: string;
  /** The session as it was before it became active again; as it is now if absent. */
  before?: Session | undefined;
}

/** Most lines of a section. */
const MOST_LINES = 40;

const randomFence = (): string => {
  const bytes = Buffer.alloc(8);
  fillRandom(bytes);
  return bytes.toString('hex');
};

/** Texts of one session among several that follow each other. */
interface Part {
  session: Session;
  turns: Turn[];
  /** True if records say what was said: no transcript has shown any message. */
  isNoted: boolean;
  digest: Digest;
}

/** Reads a session with what waits for it. */
function partOf(repository: Repository, { session, head, isOpen }: StoredSession): Part {
  const { objects } = repository;
  const { session_id: id } = session;
  const pending = isOpen ? openSession(repository, sessionRef(id), head).pending.map(({ record }) => record) : [];
  const records = function* (): Generator<StoredRecord> {
    for (const step of readSteps(objects, head, true)) yield* step.records;
    yield* pending;
  };
  const digest = newDigest();
  const turns = turnsOf(readConversation(repository, id, { isStored: true }));
  const noted: StoredRecord[] = [];
  for (const record of records()) {
    digestRecord(digest, record);
    if (turns.length === 0) noted.push(record);
  }
  const isNoted = turns.length === 0;
  return { session, turns: isNoted ? turnsOfRecords(noted) : turns, isNoted, digest };
}

/** Reads a session, and before it those that it resumes, the first one first. */
const partsOf = (repository: Repository, id: string): Part[] =>
  resumedSessions(repository, id).map((stored) => partOf(repository, stored));

/**
 * Returns the turns of each of several sessions that follow each other. The first record of one that resumes another is the task of that
 * one, which nobody has said again.
 */
const turnsOfParts = (parts: readonly Part[]): Turn[][] =>
  parts.map(({ turns, isNoted }, index) => {
    if (index === 0 || !isNoted) return turns;
    const [[, ...answers] = [], ...rest] = turns;
    return answers.length === 0 ? rest : [answers, ...rest];
  });

/**
 * Returns whether transcripts have shown the conversation of a session, and of those that it resumes: of some, hooks alone report what was
 * said.
 */
export function isTranscribed(repository: Repository, id: string): boolean {
  const parts = partsOf(repository, id);
  const turns = turnsOfParts(parts);
  return parts.every(({ isNoted }, index) => !isNoted || turns[index]?.length === 0);
}

/** Returns the turns of a session alone, open or ended. */
export function historyOf(repository: Repository, id: string): Turn[] {
  const stored = resumedSessions(repository, id).at(-1);
  return stored === undefined ? [] : partOf(repository, stored).turns;
}

/** Returns where a session stopped, in whole: the state alone has it, or the words with which it was stopped. */
function stopOf({ session_state: state, paused }: Session, summary: string): Stop {
  const said = paused && isStopped({ paused }) && paused.summary;
  switch (state.kind) {
    case 'AwaitingUser':
      return { what: 'it had asked the user, and waits for the answer', text: state.question };
    case 'PendingComplete':
      return { what: 'it had finished, and waits for a yes', text: state.summary };
    case 'Interrupted':
      return { what: 'the user had said this, and it was not finished', text: state.user_message };
    case 'Complete':
      return { what: 'it was complete, and the user had confirmed it', text: said || summary };
    case 'Aborted':
      return { what: 'it was given up', text: state.reason };
    default:
      return { what: 'it was at work', text: said || '' };
  }
}

function factsOf(session: Session, status: string, first: Session): Fact[] {
  const { agent, agent_version, system_prompt, mcp_servers = [], tools = [], origin } = session;
  const facts: [string, string | undefined][] = [
    ['Session', titleOf(session)],
    ['Type', session.type],
    ['Task', session.task_description],
    ['Agent', agent === null ? undefined : [agent, agent_version].filter(Boolean).join(' ')],
    ['Command', session.command],
    ['Mode', session.mode],
    ['Model', session.model],
    ['MCP servers', mcp_servers.join(', ') || undefined],
    ['Tools', tools.join(', ') || undefined],
    ['System prompt', system_prompt?.path],
    ['Status', status],
    ['Started', showTime(first.started_at)],
    ['Last active', showTime(session.last_activity)],
    ['Folder', typeof session['cwd'] === 'string' ? mapPath(session['cwd'], origin?.mapped ?? []) : undefined],
    ['Comes from', origin && originInWords(origin)],
  ];
  return facts.flatMap(([name, value]): Fact[] => (value === undefined || value === '' ? [] : [[name, value]]));
}

/** @param said the texts of the history: an answer that a hook has noted may be one of them */
function sectionsOf(digests: readonly Digest[], open: readonly string[], said: ReadonlySet<string>): Section[] {
  const all = (of: (digest: Digest) => readonly string[]): string[] => [...new Set(digests.flatMap(of))];
  const changed = new Map<string, string>();
  for (const digest of digests)
    for (const path of digest.changed)
      changed.set(path, digest.paths.get(path) === 'delete' ? `${path} (deleted)` : path);
  const failed = all((digest) =>
    [...digest.commands.values()].flatMap(({ command, exit_code }) =>
      exit_code === null || exit_code === 0 ? [] : [`${oneLine(command)} (exit ${exit_code})`],
    ),
  );
  const last = (lines: readonly string[]): string[] => lines.slice(-MOST_LINES);
  return [
    { heading: 'Calls that had no result', lines: last(open) },
    { heading: 'Decisions', lines: last(all(({ decisions }) => decisions)) },
    { heading: 'The last plan', lines: all(({ plans }) => plans.slice(-1)).slice(-1) },
    {
      heading: 'Notes',
      lines: last(all(({ remarks }) => remarks).filter((text) => !said.has(text.replace(/^Agent: /, '').trim()))),
    },
    { heading: 'Files changed', lines: last([...changed.values()].sort()) },
    { heading: 'Commands that failed', lines: last(failed) },
  ];
}

/** Returns the calls of the last turn that had no result. */
function openCallsIn(turns: readonly Turn[]): string[] {
  const marks = [ABORTED, NO_RESULT].map((why) => `\n→ error: ${why}`);
  return (turns.at(-1) ?? []).flatMap(({ who, text }) => {
    const mark = who === 'tool' ? marks.find((end) => text.endsWith(end)) : undefined;
    return mark === undefined ? [] : [oneLine(text.slice(0, -mark.length), 300)];
  });
}

/** Makes the context block of a session, open or ended. */
export function contextOf(
  repository: Repository,
  id: string,
  options: ContextOptions,
): Block & { command: string | null } {
  const parts = partsOf(repository, id);
  const newest = parts.at(-1) as Part;
  const last = { ...newest, session: options.before ?? newest.session };
  const turns = turnsOfParts(parts).flat();
  const input = {
    facts: factsOf(last.session, options.status, (parts[0] as Part).session),
    stopped: stopOf(last.session, last.digest.summary),
    sections: sectionsOf(
      parts.map(({ digest }) => digest),
      openCallsIn(turns),
      new Set(turns.flat().map(({ text }) => text.trim())),
    ),
    turns,
    fence: (options.random ?? randomFence)(),
    remarks: options.remarks ?? [],
  };
  const command = last.session.command ?? null;
  if (options.budget !== undefined && !options.full)
    return { ...contextBlock({ ...input, budget: options.budget }), command };
  const whole = contextBlock({ ...input, budget: null });
  const room = options.full ? null : roomOf(last.session.model);
  if (room === null || whole.tokens <= room) return { ...whole, command };
  return { ...contextBlock({ ...input, budget: DEFAULT_BUDGET }), command };
}

/** Words what a block leaves out; null if it has everything. */
export function leftOutInWords({ left_out: { turns, tokens } }: Pick<Block, 'left_out'>): string | null {
  if (tokens === 0) return null;
  const what = turns > 0 ? plural(turns, 'turn') : 'a part of the last turn';
  return `Left out of the context: ${what}, about ${tokens} tokens. For all of it: --full`;
}

/** Writes a context block into a file of the user's own. @throws {CtxError} io */
export function writeContext({ ids, durability }: Repository, file: string, text: string): void {
  writeDurably(file, `${file}.${ids()}.tmp`, text, durability);
}
