/** Finds what hooks have recorded of a sub-agent in the session of its caller, so that its own transcript does not repeat it. */
import { CtxError } from '../../core/errors.ts';
import { archiveRef, sessionRef } from '../../git/layout.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import type { Repository } from '../../history/store/repository.ts';
import { sessionsOf } from '../transcript/source-index.ts';
import type { Conversation } from './hook-session.ts';
import { ObservedDeeds } from './observed-deeds.ts';
import { storedForm } from './stored-form.ts';

/** Calls that hooks have recorded. */
interface Calls {
  /**
   * Calls of sub-agents by id, each with whether the hook knew its outcome: Codex passes no exit codes to its hooks.
   */
  ids: Map<string, boolean>;
  /** All deeds, for agents such as Gemini CLI whose hooks know neither call ids nor who acts. */
  deeds: object[];
}

/** The calls of sub-agents in a chain, by its head: a caller may have called hundreds. */
const read = new WeakMap<Repository, Map<string, Calls>>();

/**
 * Returns a function that says of a record whether a hook has left it in the session of a caller.
 * @param caller the conversation that has called this one; null while unknown
 */
export function callerRecordFinder(
  repository: Repository,
  caller: () => Conversation | null,
): (body: object, at: number) => boolean {
  let known: { of: string; ids: Calls['ids']; deeds: ObservedDeeds } | null = null;
  return (body, at) => {
    const { kind, tool_call_id: id, exit_code } = body as { kind: string; tool_call_id?: unknown; exit_code?: unknown };
    if (typeof id !== 'string' || kind === 'message' || kind === 'part') return false;
    const by = caller();
    if (by === null) return false;
    if (known?.of !== by.agent_session) known = { of: by.agent_session, ...recordedCalls(repository, by) };
    const isWhole = known.ids.get(id);
    if (isWhole !== undefined) return isWhole || typeof exit_code !== 'number';
    return !known.deeds.isEmpty && known.deeds.take(storedForm(repository, body), at);
  };
}

function recordedCalls(repository: Repository, by: Conversation): { ids: Calls['ids']; deeds: ObservedDeeds } {
  const calls = callsWith(repository, by);
  const deeds = new ObservedDeeds();
  for (const deed of calls.deeds) deeds.note(deed);
  return { ids: calls.ids, deeds };
}

const noCalls = (): Calls => ({ ids: new Map(), deeds: [] });

/**
 * Collects the sub-agents' calls of a conversation and of its ancestors: hooks attribute those of a nested sub-agent to
 * the topmost one.
 */
function callsWith(repository: Repository, { agent, agent_session }: Conversation): Calls {
  const calls = noCalls();
  const above = new Set([agent_session]);
  for (const conversation of above)
    for (const id of sessionsOf(repository, agent, conversation)) {
      const parent = addCalls(repository, id, calls);
      if (typeof parent === 'string') above.add(parent);
    }
  return calls;
}

/** Adds the sub-agents' calls of a session. @returns the conversation above it, if it names one */
function addCalls(repository: Repository, id: string, calls: Calls): unknown {
  const { refs, objects } = repository;
  const head = refs.read(sessionRef(id)) ?? refs.read(archiveRef(id));
  if (head === null) return undefined;
  try {
    const chain = readChain(objects, head);
    const { ids, deeds } = flushedCalls(repository, chain);
    for (const [call, isWhole] of ids) calls.ids.set(call, isWhole);
    calls.deeds = [...calls.deeds, ...deeds];
    for (const { record } of unflushed(repository, chain)) addCall(record, calls);
    return chain.session.parent_agent_session_id;
  } catch (error) {
    // A damaged session does not stop the ingest: its records may be duplicated.
    if (error instanceof CtxError && error.code === 'damaged') return undefined;
    throw error;
  }
}

function flushedCalls(repository: Repository, { head }: Chain): Calls {
  const known = read.get(repository) ?? new Map<string, Calls>();
  read.set(repository, known);
  const before = known.get(head);
  if (before) return before;
  const calls = noCalls();
  for (const [oid, { tree }] of walkChain(repository.objects, head))
    for (const record of readRecords(repository.objects, tree, `step ${oid}`, false)) addCall(record, calls);
  known.set(head, calls);
  return calls;
}

function addCall(record: object, calls: Calls): void {
  const { kind, hook, sub_agent, tool_call_id, told_at, exit_code } = record as Record<string, unknown>;
  if (hook !== true) return;
  if (typeof tool_call_id === 'string') {
    if (typeof sub_agent === 'string') calls.ids.set(tool_call_id, kind !== 'command' || typeof exit_code === 'number');
  } else if (typeof told_at === 'string') calls.deeds.push(record);
}
