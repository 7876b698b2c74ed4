/** Takes back what commands did to the view of a conversation, and to the rules of a session: records that do the opposite. */
import { actsOf, oppositeOf, overlaysOf } from '../../core/conversation/acts.ts';
import { foldConversation } from '../../core/conversation/fold.ts';
import type { Rule } from '../../core/permission/rule.ts';
import { changedRules } from '../../core/permission/session-rules.ts';
import { type AnyBody, isKind } from '../../core/records/record.ts';
import type { Session } from '../../core/session/session.ts';
import { type Chain, readChain, readRecords, type StepRecord, walkChain } from '../../history/chain/chain.ts';
import type { Repository } from '../../history/store/repository.ts';
import { foldChain } from '../conversation/load.ts';
import { keptBefore } from '../world/world.ts';
import type { FilesBack } from './undone-files.ts';

/**
 * Makes the records that take back what the commands between two steps did to the view of the conversation, newest command first.
 * @param own records that are not in the chain yet
 * @param files plans what becomes of the files that they have changed
 */
export function viewTakenBack(
  repository: Repository,
  chain: Chain,
  own: readonly StepRecord[],
  before: string,
  after: string,
  files: FilesBack,
): AnyBody[] {
  const acts = actsBetween(repository, before, after);
  if (acts.length === 0) return [];
  const { conversation } = foldChain(repository, chain.head, chain.session.session_id);
  foldConversation(
    own.map(({ record }) => record),
    conversation,
  );
  const worlds = new Map(actsOf(conversation).map(({ id, world }) => [id, world]));
  return acts.flatMap((of) => {
    const act = { id: repository.ids(), by: 'undo', of };
    const done = worlds.get(of);
    const world = done ? files.takeBack(done, act.id, chain.session.session_id) : null;
    const made = overlaysOf(world ? { ...act, world } : act, oppositeOf(conversation, of));
    foldConversation(made, conversation);
    return world ? [...made, ...keptBefore(world)] : made;
  });
}

/** The acts whose overlays are in the steps after one step up to another, newest first. */
function actsBetween({ objects }: Repository, before: string, after: string): string[] {
  const acts = new Set<string>();
  for (const [oid, { tree }] of walkChain(objects, after)) {
    if (oid === before) break;
    for (const record of readRecords(objects, tree, `step ${oid}`, false).reverse())
      if (isKind(record, 'overlay') && record.act !== undefined) acts.add(record.act);
  }
  return [...acts];
}

/** Fields that a command can choose of a session beside its conversation. */
const CHOSEN = [
  'chosen_model',
  'model',
  'system_prompt_digest',
  'metadata',
  'resume_cursor',
] as const satisfies readonly (keyof Session)[];

/** Returns what was chosen of a session before a step, if the steps up to another have changed it and nothing has since. */
export function choicesTakenBack(
  { objects }: Repository,
  now: Session,
  before: string,
  after: string,
): Partial<Session> | null {
  const [old, next] = [before, after].map((head) => readChain(objects, head).session) as [Session, Session];
  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  const changed = CHOSEN.filter((key) => !same(old[key], next[key]) && same(now[key], next[key]));
  return changed.length === 0 ? null : Object.fromEntries(changed.map((key) => [key, old[key]]));
}

/**
 * Makes the records that restore the rules of permissions before a step, if the steps up to another have changed them and nothing has
 * since.
 * @param own records that are not in the chain yet
 */
export function rulesTakenBack(
  { objects }: Repository,
  now: Session,
  own: readonly StepRecord[],
  before: string,
  after: string,
): AnyBody[] {
  const [old = [], next = []] = [before, after].map((head) => readChain(objects, head).session.permissions ?? []);
  if (old.length + next.length === 0) return [];
  const current = own.reduce(
    (rules: readonly Rule[], { record }) => (isKind(record, 'rule') ? changedRules(rules, record) : rules),
    now.permissions ?? [],
  );
  const said = (rules: readonly Rule[], text: string): string => JSON.stringify(ruleOf(rules, text) ?? null);
  const texts = [...new Set([...old, ...next].map(({ rule }) => rule))];
  return texts
    .filter((text) => said(old, text) !== said(next, text) && said(current, text) === said(next, text))
    .map((text) => {
      const { verdict, pin } = ruleOf(old, text) ?? { verdict: 'none' as const };
      return { kind: 'rule', verdict, rule: text, ...(pin ? { pin: true as const } : {}) };
    });
}

const ruleOf = (rules: readonly Rule[], text: string): Rule | undefined => rules.find(({ rule }) => rule === text);
