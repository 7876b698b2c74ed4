/** Answers an agent that asks whether it may use a tool, by the rules of `ctx permission`; every answer is a record. */
import type { HookedAgent } from '../../../agents/index.ts';
import type { Conversation } from '../../../core/intake/reconcile.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ShownRule } from '../../../core/permission/decide.ts';
import type { HookEvent } from '../../../core/session/hook-event.ts';
import { readChain } from '../../../history/chain/chain.ts';
import { sessionRef } from '../../../history/names/layout.ts';
import type { Repository } from '../../../history/store/repository.ts';
import { type CheckResult, checkPermission } from '../../permission/check.ts';
import { addRecord } from '../../session/observe.ts';
import { openStateOf } from '../conversation.ts';

/**
 * Returns the answer in the agent's form; null if the user is to be asked, or nothing is asked. Without an open session nothing is
 * answered, since the answer could not be recorded.
 */
export function answerByRules(
  repository: Repository,
  { hooks }: HookedAgent,
  conversation: Conversation,
  { event, cwd }: HookEvent,
  payload: JsonObject,
  environment: Readonly<Record<string, string | undefined>> = {},
): JsonObject | null {
  const point = hooks.permissions;
  const asked = point?.asked(payload) ?? null;
  if (!point || asked === null) return null;
  const open = openStateOf(repository, conversation);
  const ref = open && sessionRef(open.session_id);
  const head = ref && repository.refs.read(ref);
  if (!open || !ref || !head) return null;
  const { session } = readChain(repository.objects, head, ref);
  const where = { directory: cwd ?? undefined, home: environment['HOME'] };
  const checked = checkPermission(repository, asked.tool, asked.input, { session, ...where });
  const { verdict } = checked;
  const answer = verdict === 'ask' ? null : point.answer({ event, verdict, reason: reasonOf(checked) });
  if (answer === null) return null;
  // The record comes first: what was answered is never unknown.
  addRecord(repository, open.session_id, () => ({
    body: {
      kind: 'permission',
      verdict,
      tool: asked.tool,
      use: checked.parts.map(({ part }) => part).join('; '),
      by: 'rules',
      ...(checked.rule ? { rule: labelOf(checked.rule) } : {}),
      beaten: checked.beaten.map(labelOf),
      ...(asked.call_id === null ? {} : { call_id: asked.call_id }),
      hook: true,
    },
  }));
  return answer;
}

const labelOf = ({ verdict, rule, scope, pin }: ShownRule): string =>
  `${verdict} ${rule} (${scope}${pin ? ', pinned' : ''})`;

const reasonOf = ({ rule }: CheckResult): string =>
  rule
    ? `A rule of the user says: ${labelOf(rule)}. See: ctx permission list`
    : 'The rules of the user say so. See: ctx permission list';
