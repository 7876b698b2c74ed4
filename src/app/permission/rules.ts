/** `ctx permission allow|ask|deny|reset|list`: the rules of a session and of its project. */
import { CtxError } from '../../core/errors.ts';
import {
  RULE_LIMIT,
  RULES_LIMIT,
  type Rule,
  ruleParts,
  ruleText,
  type ScopedRule,
  type Verdict,
} from '../../core/permission/rule.ts';
import { changedRules, type RuleChange } from '../../core/permission/session-rules.ts';
import { flushInto } from '../../history/flush.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { redactionFor } from '../redaction/redact.ts';
import { activeSession, requireCurrent } from '../session/active.ts';
import { prepareRecord } from '../session/records.ts';
import { changeProjectRules, manifestRules, projectRules, scopeInWords } from './project-rules.ts';

/** Whose rules a command changes. */
export type ChangedScope = 'session' | 'project';

export interface RuleResult extends Rule {
  scope: ChangedScope;
  pin: boolean;
  /** The verdict of the same rule before; null if there was none. */
  previous: Verdict | null;
  /** The session; null for a rule of the project. */
  session_id: string | null;
  /** True if the rule counts: one of the project that allows something needs a trusted store. */
  counts: boolean;
}

export interface ResetResult {
  scope: ChangedScope;
  session_id: string | null;
  /** The rules that were taken back. */
  removed: Rule[];
}

/** Returns a rule in its one spelling. @throws {CtxError} usage; invalid_input, if a secret is in it */
function checkedRule(repository: Repository, given: string): string {
  const parts = ruleParts(given);
  if (!parts) {
    throw new CtxError('usage', `${given === '' ? 'An empty text' : given.slice(0, RULE_LIMIT)} is no rule.`, {
      hint: `Name a tool, and in parentheses what it is used for (at most ${RULE_LIMIT} characters): ctx permission allow 'Bash(npm test *)'`,
    });
  }
  const rule = ruleText(parts);
  if (redactionFor(repository).text(rule) === rule) return rule;
  throw new CtxError('invalid_input', 'The rule holds a secret, which is never stored.', {
    hint: 'Put a * in the place of the secret.',
  });
}

/**
 * Sets a rule of the active session, as a record of it, or of the project.
 * @throws {CtxError} usage, invalid_input, no_active_session, invalid_settings, busy, io, damaged
 */
export function setRule(
  repository: Repository,
  verdict: Verdict,
  given: string,
  { scope, pin = false }: { scope: ChangedScope; pin?: boolean | undefined },
): RuleResult {
  const rule = checkedRule(repository, given);
  const change = { verdict, rule, ...(pin ? { pin } : {}) };
  const { before, session_id } = changeRules(repository, scope, () => change);
  const previous = before.find((one) => one.rule === rule)?.verdict ?? null;
  const counts = scope === 'session' || !projectRules(repository).ignored.some((one) => one.rule === rule);
  return { verdict, rule, pin, scope, previous, session_id, counts };
}

/**
 * Takes a rule back, or all of a scope.
 * @param given the rule; null for all of them
 * @throws {CtxError} usage, not_found, no_active_session, invalid_settings, busy, io, damaged
 */
export function resetRules(repository: Repository, given: string | null, scope: ChangedScope): ResetResult {
  const rule = given === null ? '' : checkedRule(repository, given);
  const isMeant = (one: Rule): boolean => rule === '' || one.rule === rule;
  const { before, session_id } = changeRules(repository, scope, (rules) => {
    if (rule !== '' && !rules.some(isMeant)) {
      throw new CtxError('not_found', `${scopeInWords[scope]} has no rule ${rule}.`, {
        hint: 'See: ctx permission list',
      });
    }
    return rules.length === 0 ? null : { verdict: 'none', rule };
  });
  return { scope, session_id, removed: before.filter(isMeant) };
}

/** Makes one change under LOCK; returns the rules before. */
function changeRules(
  repository: Repository,
  scope: ChangedScope,
  plan: (rules: readonly Rule[]) => RuleChange | null,
): { before: readonly Rule[]; session_id: string | null } {
  const command = 'permission';
  return transact(repository, { command, message: command, logged: true }, (transaction) => {
    if (scope === 'project') {
      const { rules, ignored } = projectRules(repository);
      const before = [...rules, ...ignored];
      const change = checkedChange(before, plan(before));
      if (change) changeProjectRules(repository, (now) => changedRules(now, change));
      return { before, session_id: null };
    }
    const { ref, head, chain } = requireCurrent(repository, transaction);
    const before = chain.session.permissions ?? [];
    const change = checkedChange(before, plan(before));
    if (change) {
      const at = repository.clock();
      const record = prepareRecord(repository, repository.objects, at, { body: { kind: 'rule', ...change } });
      const flushed = flushInto(repository, chain, at, { own: [record] });
      transaction.move(ref, head, flushed.chain.head);
      transaction.afterwards(flushed.clean);
    }
    return { before, session_id: chain.session.session_id };
  });
}

/** @throws {CtxError} invalid_input, if there would be too many rules */
function checkedChange(rules: readonly Rule[], change: RuleChange | null): RuleChange | null {
  if (change === null || changedRules(rules, change).length <= RULES_LIMIT) return change;
  throw new CtxError('invalid_input', `There are ${RULES_LIMIT} rules already.`, {
    hint: 'Take some back with: ctx permission reset <rule>; or use a wildcard',
  });
}

/** The rules that count here. */
export interface RuleList {
  rules: ScopedRule[];
  /** Rules of the project that allow something, and do not count: the store is not trusted. */
  ignored: ScopedRule[];
  session_id: string | null;
}

/**
 * Lists the rules of the manifest, the project and a session.
 * @param rules of the session; those of the active session if absent
 * @throws {CtxError} not_found, invalid_settings, io, damaged
 */
export function listRules(repository: Repository, { manifest, session }: RuleSources = {}): RuleList {
  const active = session === undefined ? (activeSession(repository)?.session ?? null) : session;
  const of = (scope: ScopedRule['scope'], rules: readonly Rule[]): ScopedRule[] =>
    rules.map((rule) => ({ ...rule, scope }));
  const project = projectRules(repository);
  return {
    rules: [
      ...of('manifest', manifest === undefined ? [] : manifestRules(manifest)),
      ...of('project', project.rules),
      ...of('session', active?.permissions ?? []),
    ],
    ignored: of('project', project.ignored),
    session_id: active?.session_id ?? null,
  };
}

export interface RuleSources {
  /** The file of the manifest. */
  manifest?: string | undefined;
  /** The session whose rules count; null for none. */
  session?: { session_id: string; permissions?: readonly Rule[] | undefined } | null | undefined;
}
