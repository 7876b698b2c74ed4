/** What hooks have recorded of a sub-agent: it stands in the session of its caller, and its own transcript tells it once more. */
import { CtxError } from '../../core/errors.ts';
import { archiveRef, sessionRef } from '../../git/layout.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../history/chain/chain.ts';
import { unflushed } from '../../history/chain/unflushed.ts';
import type { Repository } from '../../history/store/repository.ts';
import { sessionsOf } from '../transcript/source-index.ts';
import type { Conversation } from './hook-session.ts';
import { ObservedDeeds } from './observed-deeds.ts';
import { asKept } from './stored-form.ts';

/** What hooks have told of calls. */
interface Calls {
  /** Those of sub-agents by their ids, each with whether the hook knew how it ended: Codex tells its hooks no exit codes. */
  ids: Map<string, boolean>;
  /** Where hooks know neither ids nor who does something, as those of Gemini CLI: all that they have told. */
  deeds: object[];
}

/** What the steps of a chain have of sub-agents, by its head: a caller may have called hundreds. */
const read = new WeakMap<Repository, Map<string, Calls>>();

/**
 * Tells of a record whether a hook has left it with one of those who have called its conversation.
 * @param caller the one that has called it; null where none is known by now
 */
export function heardOfCallers(
  repository: Repository,
  caller: () => Conversation | null,
): (body: object, at: number) => boolean {
  let known: { of: string; ids: Calls['ids']; deeds: ObservedDeeds } | null = null;
  return (body, at) => {
    const { kind, tool_call_id: id, exit_code } = body as { kind: string; tool_call_id?: unknown; exit_code?: unknown };
    if (typeof id !== 'string' || kind === 'message' || kind === 'part') return false;
    const by = caller();
    if (by === null) return false;
    if (known?.of !== by.agent_session) known = { of: by.agent_session, ...heardWith(repository, by) };
    const isWhole = known.ids.get(id);
    if (isWhole !== undefined) return isWhole || typeof exit_code !== 'number';
    return !known.deeds.isEmpty && known.deeds.take(asKept(repository, body), at);
  };
}

function heardWith(repository: Repository, by: Conversation): { ids: Calls['ids']; deeds: ObservedDeeds } {
  const calls = callsWith(repository, by);
  const deeds = new ObservedDeeds();
  for (const deed of calls.deeds) deeds.note(deed);
  return { ids: calls.ids, deeds };
}

const noCalls = (): Calls => ({ ids: new Map(), deeds: [] });

/** What a conversation has of sub-agents, and those above it: hooks tell what a sub-agent of a sub-agent does of the topmost. */
function callsWith(repository: Repository, { agent, agent_session }: Conversation): Calls {
  const calls = noCalls();
  const above = new Set([agent_session]);
  for (const conversation of above)
    for (const id of sessionsOf(repository, agent, conversation)) {
      const parent = takeCalls(repository, id, calls);
      if (typeof parent === 'string') above.add(parent);
    }
  return calls;
}

/** Adds what a session has of sub-agents. @returns the conversation above it, if it tells of one */
function takeCalls(repository: Repository, id: string, calls: Calls): unknown {
  const { refs, objects } = repository;
  const head = refs.read(sessionRef(id)) ?? refs.read(archiveRef(id));
  if (head === null) return undefined;
  try {
    const chain = readChain(objects, head);
    const { ids, deeds } = flushedCalls(repository, chain);
    for (const [call, isWhole] of ids) calls.ids.set(call, isWhole);
    calls.deeds = [...calls.deeds, ...deeds];
    for (const { record } of unflushed(repository, chain)) takeCall(record, calls);
    return chain.session.parent_agent_session_id;
  } catch (error) {
    // Another session that is damaged keeps no transcript out: what it has may come twice.
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
    for (const record of readRecords(repository.objects, tree, `step ${oid}`, false)) takeCall(record, calls);
  known.set(head, calls);
  return calls;
}

function takeCall(record: object, calls: Calls): void {
  const { kind, hook, sub_agent, tool_call_id, told_at, exit_code } = record as Record<string, unknown>;
  if (hook !== true) return;
  if (typeof tool_call_id === 'string') {
    if (typeof sub_agent === 'string') calls.ids.set(tool_call_id, kind !== 'command' || typeof exit_code === 'number');
  } else if (typeof told_at === 'string') calls.deeds.push(record);
}
