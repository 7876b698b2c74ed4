/** `ctx resume`: makes a session the active one again, and hands its context to the agent that continues it. */
import { isAbsolute, resolve } from 'node:path';
import { type Conversation, emptyConversation } from '../../core/conversation/conversation.ts';
import { foldConversation } from '../../core/conversation/fold.ts';
import { CtxError } from '../../core/errors.ts';
import type { SessionStatus } from '../../core/listing/status.ts';
import { titleOf } from '../../core/listing/title.ts';
import { mapPath } from '../../core/origin.ts';
import type { AnyBody } from '../../core/records/record.ts';
import { ABORTED } from '../../core/resume/turns.ts';
import type { Session } from '../../core/session/session.ts';
import { plural } from '../../core/text.ts';
import { type Chain, readChain, readRecords, type StepRecord, walkChain } from '../../history/chain/chain.ts';
import { flushInto } from '../../history/flush.ts';
import { archiveRef, SESSIONS, sessionRef } from '../../history/names/layout.ts';
import { shortIdsOf } from '../../history/pointers/candidates.ts';
import type { Repository } from '../../history/store/repository.ts';
import { type Transaction, transact } from '../../history/transaction.ts';
import { readIfThere } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';
import { readConversation } from '../conversation/read.ts';
import { openSession } from '../session/active.ts';
import { activeRecord } from '../session/pause.ts';
import { prepareRecord } from '../session/records.ts';
import { type Beginning, beginSession, conversationOf } from '../session/start.ts';
import { statusOf } from '../session/status.ts';
import { isWorktreeOf } from '../setup/linked-worktree.ts';
import { isFolder, isInProject, pathsOf } from '../setup/project-paths.ts';
import { type ContextOptions, contextOf } from './context.ts';

/** A system prompt: the SHA-256 of its text, and the file that it came from, below the project if it lies there. */
type SystemPrompt = NonNullable<Session['system_prompt']>;

/** Largest file that counts as a prompt, in bytes. */
const PROMPT_LIMIT = 1024 * 1024;

/** Hashes a file with a prompt; null if there is none, or it cannot be read. */
function hashOfPrompt(project: string, path: string): string | null {
  try {
    const content = readIfThere(isAbsolute(path) ? path : resolve(project, path));
    return content === undefined || content.length > PROMPT_LIMIT ? null : sha256(content);
  } catch {
    return null;
  }
}

/** Change of the prompt that a session had. */
type PromptChange = 'same' | 'changed' | 'gone' | 'unknown';

/** Compares the prompt of a session with its file as it is now. */
function promptChange(project: string, prompt: SystemPrompt | undefined): PromptChange {
  if (prompt?.path === undefined) return 'unknown';
  const now = hashOfPrompt(project, prompt.path);
  if (now === null) return 'gone';
  return now === prompt.sha256 ? 'same' : 'changed';
}

export interface ResumeOptions extends Pick<ContextOptions, 'budget' | 'full' | 'random'> {
  /** True if a completed session is resumed, too. */
  reopen?: boolean | undefined;
  /** Ingests what the agent of an open session has said and ctx has not: an agent that was killed reported no end. */
  ingest?: ((session: string) => void) | undefined;
}

/** Position at which a provider can resume a conversation, without what an agent or ctx was doing when it ended. */
export interface ResumeCursor {
  agent: string;
  /** The agent's own id of the conversation. */
  agent_session_id: string;
  /** The message that has ended the last completed turn; null if none was completed. */
  last_message_id: string | null;
}

export interface ResumeResult {
  /** The session that is active now. */
  session_id: string;
  short_id: string;
  /** The ended session that it continues; null if it was open. */
  continues: string | null;
  title: string;
  status: 'active';
  agent: string | null;
  agent_session_id: string | null;
  /** Null if no conversation of an agent is known. */
  resume_cursor: ResumeCursor | null;
  /** The context block. */
  context: string;
  /** Its size, estimated. */
  tokens: number;
  left_out: { turns: number; tokens: number };
  /** Makes the context block again, with at most so many tokens. */
  contextWithin: (budget: number) => string;
  /** True if the file that the system prompt came from has changed since, or is gone; null if the file is unknown. */
  prompt_changed: boolean | null;
  /** The command that the session was begun with; null if there was none. */
  command: string | null;
  /** Number of calls without a result that were closed. */
  closed_calls: number;
  /** Folder in which its agent works. */
  directory: string;
  /** Remarks for somebody who continues, a sentence each. */
  remarks: string[];
}

/** Calls that were read from a session before LOCK was taken. */
interface Calls {
  head: string;
  records: AnyBody[];
}

/** Returns the newest versions of the calls without a result, each closed as an error. */
function closedCalls({ calls, messages }: Conversation): AnyBody[] {
  return [...calls].flatMap(([id, call]): AnyBody[] => {
    const folded = call.state === 'input-available' ? messages.get(call.message)?.parts[call.part] : undefined;
    if (folded?.part.type !== 'dynamic-tool' || folded.key === null) return [];
    const { output: _none, ...part } = folded.part;
    const closed = { ...part, toolCallId: id, state: 'output-error', errorText: ABORTED };
    // A result that is read later has this number or a higher one, and counts.
    return [
      { kind: 'part', message_id: call.message, part_id: folded.key, seq: Math.max(0, folded.seq), part: closed },
    ];
  });
}

/** Reads the open calls of a session whose agent is gone. */
function openCallsOf(repository: Repository, ref: string, head: string): Calls {
  const { objects } = repository;
  const trees = [...walkChain(objects, head)].map(([, { tree }]) => tree).reverse();
  const conversation = emptyConversation();
  for (const [index, tree] of trees.entries())
    foldConversation(readRecords(objects, tree, `step ${index + 1}`, true), conversation, { step: index + 1 });
  const { pending } = openSession(repository, ref, head);
  foldConversation(
    pending.map(({ record }) => record),
    conversation,
  );
  return { head, records: closedCalls(conversation) };
}

/** Outcome for a session, or the reason why it cannot be resumed as it was found. */
interface Resumed {
  id: string;
  continues: string | null;
  /** The session before, and its status. */
  session: Session;
  before: SessionStatus;
  closed: number;
}

/** Resumes an open session; null if it has ended meanwhile. */
function resumeOpen(repository: Repository, id: string): Resumed | null {
  const ref = sessionRef(id);
  const now = repository.refs.read(ref);
  if (now === null) return null;
  let calls = openCallsOf(repository, ref, now);
  const change = { command: 'resume', message: 'resume', pauses: true };
  return transact(repository, change, (transaction): Resumed | null => {
    const head = transaction.read(ref);
    if (head === null) return null;
    const active = openSession(repository, ref, head);
    const before = statusOf(repository, active);
    const at = repository.clock();
    const isBack = before === 'paused' || active.session.paused !== undefined;
    if (isBack && calls.head !== head) calls = openCallsOf(repository, ref, head);
    // An agent that is at work has open calls of its own.
    const closings = isBack ? calls.records : [];
    const own: StepRecord[] = [
      ...(isBack ? [activeRecord(repository, at, 'resume')] : []),
      ...closings.map((body) => prepareRecord(repository, repository.objects, at, { body, isRedacted: true })),
    ];
    const flushed = flushInto(repository, active.chain, at, { own, leavesMissed: true });
    transaction.move(ref, head, flushed.chain.head);
    transaction.afterwards(flushed.clean);
    makeCurrent(transaction, ref);
    const session = { ...active.session, last_activity: active.last_activity };
    return { id, continues: null, session, before, closed: closings.length };
  });
}

function makeCurrent(transaction: Transaction, ref: string): void {
  const stage = transaction.stage();
  if (stage !== ref) transaction.move('STAGE', stage, ref);
}

/** Fields that a session that resumes another takes over from it. */
const TAKEN_OVER = [
  ...(['model', 'title', 'renamed', 'type', 'command', 'mode', 'agent_version'] as const),
  ...(['system_prompt', 'mcp_servers', 'tools', 'cwd', 'git_branch', 'origin'] as const),
];

function beginningAfter(session: Session): Beginning {
  const kept = Object.fromEntries(
    TAKEN_OVER.flatMap((key) => (session[key] === undefined ? [] : [[key, session[key]]])),
  );
  return {
    agent: session.agent,
    ...conversationOf(session),
    ...kept,
    continues: session.session_id,
    resumes: session.session_id,
  };
}

/** Returns the open session that was begun to resume an ended one; null if there is none. */
function successorOf({ refs, objects }: Repository, id: string): string | null {
  for (const [ref, head] of refs.list(SESSIONS)) {
    try {
      if (readChain(objects, head, ref).session.resumes === id) return ref.slice(SESSIONS.length);
    } catch (error) {
      // A damaged session is not the one.
      if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
    }
  }
  return null;
}

/** Resumes an ended session in a new one; the id of the open one that does so already, if there is one. */
function resumeEnded(repository: Repository, { session }: Chain, status: SessionStatus): Resumed | string {
  const change = { command: 'resume', message: 'resume', pauses: true };
  return transact(repository, change, (transaction): Resumed | string => {
    const open = successorOf(repository, session.session_id);
    if (open !== null) return open;
    const by: AnyBody = { kind: 'status', from: 'paused', to: 'active', by: 'resume', continues: session.session_id };
    const begun = beginSession(repository, transaction, session.task_description, beginningAfter(session), undefined, [
      by,
    ]);
    makeCurrent(transaction, sessionRef(begun.session_id));
    return { id: begun.session_id, continues: session.session_id, session, before: status, closed: 0 };
  });
}

/**
 * Adds what the agent of an ended session has said since to the session that resumes it.
 * @returns the session as it is then; null if there was nothing to add
 */
function withRest({ refs, objects }: Repository, id: string, { ingest }: ResumeOptions): Session | null {
  const ref = sessionRef(id);
  const before = refs.read(ref);
  ingest?.(id);
  const head = refs.read(ref);
  return head === null || head === before ? null : readChain(objects, head, ref).session;
}

/** Refuses a completed session unless it is reopened. @throws {CtxError} session_completed */
function refuseCompleted(repository: Repository, session: Session, status: SessionStatus, reopen: boolean): void {
  if (status !== 'completed' || reopen) return;
  const short = shortIdsOf(repository).get(session.session_id) ?? session.session_id;
  throw new CtxError('session_completed', `"${titleOf(session)}" was marked complete.`, {
    hint: `To resume it anyway: ctx resume ${short} --reopen`,
    data: { session_id: session.session_id, title: titleOf(session), status: 'completed' },
  });
}

/** Times that a session may change its place while it is resumed. */
const LOOKS = 5;

/**
 * Resumes a session: an open one becomes the active one, an ended one is continued in a new session.
 * @param id of an open or an ended session @param status of an ended one
 * @throws {CtxError} session_completed, not_found, busy, damaged
 */
export function resumeSession(
  repository: Repository,
  id: string,
  status: SessionStatus,
  options: ResumeOptions = {},
): ResumeResult {
  let at = id;
  for (let look = 1; ; look += 1) {
    if (repository.refs.read(sessionRef(at)) !== null) options.ingest?.(at);
    const open = resumeOpen(repository, at);
    if (open) return described(repository, open, open.id, options);
    const archived = repository.refs.read(archiveRef(at));
    if (archived === null || look > LOOKS) {
      throw new CtxError('not_found', `There is no session ${at}.`, { hint: 'See: ctx resume --list' });
    }
    const chain = readChain(repository.objects, archived, archiveRef(at));
    refuseCompleted(repository, chain.session, status, options.reopen === true);
    const resumed = resumeEnded(repository, chain, status);
    if (typeof resumed !== 'string') {
      const session = withRest(repository, resumed.id, options);
      return session === null
        ? described(repository, resumed, at, options)
        : described(repository, { ...resumed, session }, resumed.id, options);
    }
    at = resumed;
  }
}

/** Returns where the agent of a session is to work, and what is to be said about that. */
function folderOf(repository: Repository, { cwd: given, origin }: Session): { directory: string; remarks: string[] } {
  const { project } = repository;
  if (typeof given !== 'string') return { directory: project, remarks: [] };
  const cwd = mapPath(given, origin?.mapped ?? []);
  if (!isAbsolute(cwd)) return { directory: project, remarks: [] };
  if (cwd !== given && isFolder(cwd) && isInProject(cwd, pathsOf(project)))
    return {
      directory: cwd,
      remarks: [`Its folder ${given} is ${cwd} here: so are the paths below it.`],
    };
  const isThere = isFolder(cwd);
  const paths = pathsOf(project);
  if (isThere && (isInProject(cwd, paths) || isWorktreeOf(cwd, paths))) return { directory: cwd, remarks: [] };
  if (isThere) return { directory: project, remarks: [`It worked in ${cwd}; this project is ${project}.`] };
  return {
    directory: project,
    remarks: [`Its folder ${cwd} is gone or has moved: paths below it are now below ${project}.`],
  };
}

/** Returns the cursor of a session: its last source, and the last answer of the agent that has no open call. */
function cursorOf(repository: Repository, id: string, { sources }: Session): ResumeCursor | null {
  const last = sources.at(-1);
  if (!last) return null;
  let ended: string | null = null;
  for (const { id: message, parts } of readConversation(repository, id, { roles: ['assistant'], outputs: 'stored' })) {
    const isAnswer = parts.some((part) => part.type === 'text') && !parts.some((part) => part.type === 'dynamic-tool');
    if (isAnswer) ended = message;
  }
  return { agent: last.agent, agent_session_id: last.agent_session_id, last_message_id: ended };
}

/** @param source the session whose history is handed over */
function described(repository: Repository, resumed: Resumed, source: string, options: ResumeOptions): ResumeResult {
  const ref = sessionRef(resumed.id);
  const head = repository.refs.read(ref) ?? repository.refs.read(archiveRef(resumed.id));
  if (head === null) throw new CtxError('not_found', `There is no session ${resumed.id}.`, { hint: 'See: ctx list' });
  const { session } = readChain(repository.objects, head);
  const { directory, remarks: moved } = folderOf(repository, session);
  const prompt = promptChange(repository.project, session.system_prompt);
  const remarks = [
    ...moved,
    ...(prompt === 'changed'
      ? [`Its system prompt, ${session.system_prompt?.path}, has changed since: the current one is used.`]
      : []),
    ...(prompt === 'gone' ? [`Its system prompt, ${session.system_prompt?.path}, cannot be read any more.`] : []),
    ...(resumed.closed > 0
      ? [
          `${plural(resumed.closed, 'call')} without a result ${resumed.closed === 1 ? 'was' : 'were'} closed: ${ABORTED}.`,
        ]
      : []),
  ];
  const words =
    resumed.continues === null ? `${resumed.before}, active again` : `${resumed.before}, continued in a new session`;
  const about = { ...options, status: words, remarks, before: resumed.session };
  const block = contextOf(repository, source, about);
  return {
    session_id: resumed.id,
    short_id: shortIdsOf(repository).get(resumed.id) ?? resumed.id,
    continues: resumed.continues,
    title: titleOf(session),
    status: 'active',
    agent: session.agent,
    agent_session_id: session.sources.at(-1)?.agent_session_id ?? null,
    resume_cursor: cursorOf(repository, source, session),
    context: block.text,
    tokens: block.tokens,
    left_out: block.left_out,
    contextWithin: (budget) => contextOf(repository, source, { ...about, full: false, budget }).text,
    prompt_changed: prompt === 'unknown' ? null : prompt !== 'same',
    command: block.command,
    closed_calls: resumed.closed,
    directory,
    remarks,
  };
}
