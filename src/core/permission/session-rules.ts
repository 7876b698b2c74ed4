/** The rules of a session: what a record of one does to those before it. On the path of every step, so without the code that reads rules. */
import type { Rule, Verdict } from './rule.ts';

/** Change of a rule, as a record describes it. */
export interface RuleChange {
  verdict: Verdict | 'none';
  /** Empty for all rules. */
  rule: string;
  pin?: boolean | undefined;
}

/** Returns rules after a change: a later rule of the same text replaces an earlier one. */
export function changedRules(rules: readonly Rule[], { verdict, rule, pin }: RuleChange): Rule[] {
  const others = rule === '' ? [] : rules.filter((one) => one.rule !== rule);
  return verdict === 'none' ? others : [...others, { verdict, rule, ...(pin ? { pin } : {}) }];
}
