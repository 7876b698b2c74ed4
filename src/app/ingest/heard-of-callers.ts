/** What hooks have recorded of a sub-agent: it stands in the session of its caller, and its own transcript tells it once more. */
import { CtxError } from '../../core/errors.ts';
import { type Chain, readChain, readRecords, walkChain } from '../../store/chain/chain.ts';
import { unflushed } from '../../store/chain/unflushed.ts';
import { archiveRef, sessionRef } from '../../store/layout.ts';
import type { Repository } from '../../store/repository.ts';
import type { Conversation } from '../hook/session.ts';
import { sessionsOf } from '../transcript/source-index.ts';

/** Calls of sub-agents by their ids, each with whether the hook knew how it ended: Codex tells its hooks no exit codes. */
type Calls = Map<string, boolean>;

/** What the steps of a chain have of sub-agents, by its head: a caller may have called hundreds. */
const read = new WeakMap<Repository, Map<string, Calls>>();

/**
 * Tells of a record whether a hook has left it with one of those who have called its conversation.
 * @param caller the one that has called it; null where none is known by now
 */
export function heardOfCallers(repository: Repository, caller: () => Conversation | null): (body: object) => boolean {
  let known: { of: string; calls: Calls } | null = null;
  return (body) => {
    const { kind, tool_call_id: id, exit_code } = body as { kind: string; tool_call_id?: unknown; exit_code?: unknown };
    if (typeof id !== 'string' || kind === 'message' || kind === 'part') return false;
    const by = caller();
    if (by === null) return false;
    if (known?.of !== by.agent_session) known = { of: by.agent_session, calls: callsWith(repository, by) };
    const isWhole = known.calls.get(id);
    return isWhole === true || (isWhole === false && typeof exit_code !== 'number');
  };
}

/** What a conversation has of sub-agents, and those above it: hooks tell what a sub-agent of a sub-agent does of the topmost. */
function callsWith(repository: Repository, { agent, agent_session }: Conversation): Calls {
  const calls: Calls = new Map();
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
    for (const [call, isWhole] of flushedCalls(repository, chain)) calls.set(call, isWhole);
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
  const calls: Calls = new Map();
  for (const [oid, { tree }] of walkChain(repository.objects, head))
    for (const record of readRecords(repository.objects, tree, `step ${oid}`, false)) takeCall(record, calls);
  known.set(head, calls);
  return calls;
}

function takeCall(record: object, calls: Calls): void {
  const { kind, hook, sub_agent, tool_call_id, exit_code } = record as Record<string, unknown>;
  if (hook !== true || typeof sub_agent !== 'string' || typeof tool_call_id !== 'string') return;
  calls.set(tool_call_id, kind !== 'command' || typeof exit_code === 'number');
}
