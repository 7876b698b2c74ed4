/** Rules of permissions: what may be said of a tool, by whom, and which rule is the more specific one. */
import { commandTool, toolNamed } from './tools.ts';

/** The verdicts, the most lenient first. */
export const VERDICTS = ['allow', 'ask', 'deny'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The scopes, the most general first: the author of an agent, a project, one session. */
export const RULE_SCOPES = ['manifest', 'project', 'session'] as const;
export type RuleScope = (typeof RULE_SCOPES)[number];

/** A rule as it is kept. */
export interface Rule {
  verdict: Verdict;
  /** A tool and a pattern of what it is used for: `Bash(git push *)`, `Edit(src/**)`, `mcp__github__*`, `*`. */
  rule: string;
  /** True if no rule of another scope can override it unless that is pinned too. */
  pin?: boolean | undefined;
}

/** A rule with the scope that it comes from. */
export interface ScopedRule extends Rule {
  scope: RuleScope;
}

/** A rule, taken apart. */
export interface RuleParts {
  /** The tool, in the spelling of ctx; it may hold wildcards. */
  tool: string;
  /** Null if the rule is about every use of the tool. */
  pattern: string | null;
}

/** Longest rule, in UTF-16 code units. */
export const RULE_LIMIT = 256;

/** Most rules of one scope. */
export const RULES_LIMIT = 200;

const RULE = /^([\w*?.:/-]+)(?:\((.*)\))?$/s;

/** Takes a rule apart; returns null if it is none. A pattern `*` is every use of the tool. */
export function ruleParts(text: string): RuleParts | null {
  const match = text.length <= RULE_LIMIT ? RULE.exec(text.trim()) : null;
  // A control character in a list would be invisible.
  if (!match || /\p{Cc}/u.test(text.trim())) return null;
  const given = match[2]?.trim();
  if (given === '') return null;
  return { tool: toolNamed(match[1] as string), pattern: given === undefined || /^\*+$/.test(given) ? null : given };
}

/** Returns a rule in the one spelling by which equal rules are known. */
export function ruleText({ tool, pattern }: RuleParts): string {
  const words = pattern !== null && tool === commandTool ? pattern.replaceAll(/\s+/g, ' ') : pattern;
  return words === null ? tool : `${tool}(${words})`;
}

/** Returns the stricter one of two verdicts. */
export const stricter = (one: Verdict, other: Verdict): Verdict =>
  VERDICTS.indexOf(one) >= VERDICTS.indexOf(other) ? one : other;

/** Reads rules from data that anybody may have written; `wrong` is the place of the first that is none, or null. */
export function readRules(value: unknown): { rules: Rule[]; wrong: number | null } {
  const list = Array.isArray(value) ? value : [];
  const rules: Rule[] = [];
  let wrong: number | null = Array.isArray(value) && value.length <= RULES_LIMIT ? null : RULES_LIMIT;
  for (const [index, one] of list.slice(0, RULES_LIMIT).entries()) {
    const rule = readRule(one);
    if (rule) rules.push(rule);
    else wrong = Math.min(wrong ?? index, index);
  }
  return { rules, wrong };
}

function readRule(value: unknown): Rule | null {
  const { verdict, rule, pin } = (value ?? {}) as { verdict?: unknown; rule?: unknown; pin?: unknown };
  const parts = typeof rule === 'string' ? ruleParts(rule) : null;
  const known = VERDICTS.find((one) => one === verdict);
  if (!parts || !known || (pin !== undefined && typeof pin !== 'boolean')) return null;
  return { verdict: known, rule: ruleText(parts), ...(pin ? { pin } : {}) };
}
