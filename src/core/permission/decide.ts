/** Decides by rules whether a tool may be used as it is about to be. */
import type { JsonValue } from '../json.ts';
import { type Around, coversPath, shownPath } from './paths.ts';
import {
  type Rule,
  type RuleParts,
  type RuleScope,
  ruleParts,
  type ScopedRule,
  stricter,
  VERDICTS,
  type Verdict,
} from './rule.ts';
import { readShell, type SimpleCommand, type Word } from './shell.ts';
import { commandTool, editTool, subjectOf, toolNamed } from './tools.ts';
import { RISKY } from './variables.ts';
import { type Covers, coversWords, globOf } from './words.ts';
import { unwrap } from './wrappers.ts';

/** A rule, as an answer names it. */
export interface ShownRule extends Rule {
  scope: RuleScope;
  pin: boolean;
}

/** One part of what a tool is used for: a command in a compound one, or a file. */
export interface PartVerdict {
  part: string;
  verdict: Verdict;
  /** The rule that decided on it; null if there is none. */
  rule: ShownRule | null;
}

export interface Decision {
  verdict: Verdict;
  /** The rule that decided; null if there is none, or if something could not be understood. */
  rule: ShownRule | null;
  /** Every other rule that is about this use. */
  beaten: ShownRule[];
  /** Verdicts on the parts of the use; the strictest part decides. */
  parts: PartVerdict[];
  /** Why the verdict is no more than `ask` although a rule allows it; null if that is not so. */
  because: string | null;
}

/** A rule that is about a part, and how surely. */
interface Match {
  rule: ScopedRule;
  depth: readonly [tool: number, pattern: number];
  covers: Covers;
}

type Test = (pattern: string, isStrict: boolean) => Covers;

/** Decides on one use of a tool. @param input as the agent passes it to the tool */
export function decide(rules: readonly ScopedRule[], tool: string, input: JsonValue, around: Around): Decision {
  const named = toolNamed(tool);
  const judge = new Judge(rules, around);
  const subject = subjectOf(named, input);
  if (subject.of === 'command') judge.command(subject.command);
  else if (subject.of === 'paths') for (const path of subject.paths) judge.path(named, path);
  else if (subject.of === 'text') judge.text(named, subject.text);
  else judge.unknown(named);
  return judge.decision();
}

/** Most of a part that an answer shows, in UTF-16 code units. */
const SHOWN = 200;

class Judge {
  readonly #rules: readonly (ScopedRule & { parts: RuleParts })[];
  readonly #around: Around;
  readonly #parts: PartVerdict[] = [];
  readonly #about = new Set<ScopedRule>();
  #doubt: string | null = null;

  constructor(rules: readonly ScopedRule[], around: Around) {
    this.#around = around;
    this.#rules = rules.flatMap((rule) => {
      const parts = ruleParts(rule.rule);
      return parts ? [{ ...rule, parts }] : [];
    });
  }

  command(text: string): void {
    const { commands, isWhole } = readShell(text);
    if (!isWhole) this.#doubts('a part of the command is not understood');
    for (const command of commands) this.#simple(command, 0);
    if (commands.length === 0) this.unknown(commandTool);
  }

  #simple(command: SimpleCommand, depth: number): void {
    const { words, assigned, written } = command;
    const risky = assigned.find((name) => RISKY.test(name));
    if (risky !== undefined) this.#doubts(`the variable ${risky} may change what is run`);
    for (const file of written) {
      if (file.open !== 'no') this.#doubts('a file that is written is known only to the shell');
      this.path(editTool, file.text);
    }
    if (words.length === 0) return;
    const { inner, counts, isWhole } =
      depth < DEPTH_LIMIT ? unwrap(command, depth) : { inner: [], counts: true, isWhole: false };
    if (!isWhole) this.#doubts(`what ${words[0]?.text || 'a command'} runs is not understood`);
    this.#part(shownWords(words), commandTool, (pattern, isStrict) => coversWords(pattern, words, isStrict), counts);
    for (const one of inner) this.#simple(one, depth + 1);
  }

  path(tool: string, path: string): void {
    const covers: Test = (pattern) => (coversPath(pattern, path, this.#around) ? 'yes' : 'no');
    this.#part(shownPath(path, this.#around), tool, covers, true);
  }

  text(tool: string, text: string): void {
    this.#part(text, tool, (pattern) => (globOf(pattern).test(text) ? 'yes' : 'no'), true);
  }

  /** Judges a use of which only the tool is known: a pattern may be about it. */
  unknown(tool: string): void {
    this.#part(tool, tool, () => 'maybe', true);
  }

  #doubts(why: string): void {
    this.#doubt ??= why;
  }

  /** @param counts whether the part is decided on if no rule is about it */
  #part(text: string, tool: string, test: Test, counts: boolean): void {
    const matches = this.#rules.flatMap((rule): Match[] => {
      const { pattern } = rule.parts;
      const depth = depthOf(rule.parts, tool);
      if (depth === null) return [];
      const covers = pattern === null ? 'yes' : test(pattern, rule.verdict !== 'allow');
      return covers === 'no' || (covers === 'maybe' && rule.verdict === 'allow') ? [] : [{ rule, depth, covers }];
    });
    for (const { rule } of matches) this.#about.add(rule);
    const winner = winnerOf(matches.filter(({ covers }) => covers === 'yes'));
    if (!winner && !counts) return;
    const possible = matches.filter(({ covers }) => covers === 'maybe');
    const isDoubtful =
      winner?.rule.verdict === 'allow' && possible.some((match) => winnerOf([winner, match]) === match);
    const part = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
    if (isDoubtful) {
      this.#parts.push({ part, verdict: 'ask', rule: shown(winnerOf(possible)?.rule) });
    } else this.#parts.push({ part, verdict: winner?.rule.verdict ?? 'ask', rule: shown(winner?.rule) });
  }

  decision(): Decision {
    const parts = this.#parts;
    const strictest = parts.map(({ verdict }) => verdict).reduce<Verdict>(stricter, 'allow');
    const isDoubted = this.#doubt !== null && strictest === 'allow';
    const verdict = isDoubted || parts.length === 0 ? stricter('ask', strictest) : strictest;
    const decider = isDoubted ? undefined : parts.find((part) => part.verdict === verdict);
    const rule = decider?.rule ?? null;
    const beaten = [...this.#about].map((one) => shown(one) as ShownRule).filter((one) => !isSame(one, rule));
    return { verdict, rule, beaten, parts, because: isDoubted ? this.#doubt : null };
  }
}

const DEPTH_LIMIT = 20;

const shownWords = (words: readonly Word[]): string =>
  words.map(({ text, open }) => (text === '' && open !== 'no' ? '…' : text)).join(' ');

const shown = (rule: ScopedRule | undefined): ShownRule | null =>
  rule ? { verdict: rule.verdict, rule: rule.rule, scope: rule.scope, pin: rule.pin === true } : null;

const isSame = (one: ShownRule, other: ShownRule | null): boolean =>
  other !== null && one.rule === other.rule && one.scope === other.scope;

/** Returns how specific a rule is about a tool; null if it is about another one. */
function depthOf({ tool, pattern }: RuleParts, used: string): Match['depth'] | null {
  const isExact = tool === used;
  if (!isExact && !(/[*?]/.test(tool) && globOf(tool).test(used))) return null;
  const rank = isExact ? 2 : /^\*+$/.test(tool) ? 0 : 1;
  if (pattern === null) return [rank, 0];
  const pieces = pattern.split(used === commandTool ? /\s+/ : /[/\s]/);
  const named = pieces.filter((piece) => /[^*?]/.test(piece)).length;
  // One that names everything is more specific than one with a wildcard at its end.
  return [rank, 1 + 2 * named + (/[*?]/.test(pattern) ? 0 : 1)];
}

/** Returns the match that decides; undefined if there is none. */
const winnerOf = (matches: readonly Match[]): Match | undefined =>
  matches.reduce<Match | undefined>((best, match) => (best && !isBefore(match, best) ? best : match), undefined);

/**
 * Checks if a match decides before another: a pinned rule, of the most general scope first; then the more specific
 * rule; then any rule before one of the manifest; then the stricter one.
 */
function isBefore({ rule, depth }: Match, other: Match): boolean {
  const pinned = rank(rule) - rank(other.rule);
  if (pinned !== 0) return pinned > 0;
  const deeper = depth[0] - other.depth[0] || depth[1] - other.depth[1];
  if (deeper !== 0) return deeper > 0;
  const isDefault = Number(rule.scope === 'manifest') - Number(other.rule.scope === 'manifest');
  if (isDefault !== 0) return isDefault < 0;
  return VERDICTS.indexOf(rule.verdict) > VERDICTS.indexOf(other.rule.verdict);
}

const PIN_RANKS: Readonly<Record<RuleScope, number>> = { manifest: 3, project: 2, session: 1 };
const rank = ({ pin, scope }: ScopedRule): number => (pin ? PIN_RANKS[scope] : 0);
