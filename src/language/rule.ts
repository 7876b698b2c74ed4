/** Defines a rule of classification, and the questions that rules ask about a message. */
import type { Classification } from '../core/message-class.ts';
import { clauseOf, type View } from './message-view.ts';

export interface Rule {
  /** Its key in counts.ts. */
  readonly name: string;
  /** The assumed probability that the rule is right, from 0 to 1, before any message was counted. */
  readonly prior: number;
  readonly classification: Classification;
  readonly fits: (view: View) => boolean;
  /** One sentence for the user. */
  readonly reason: (view: View) => string;
}

const MOST_QUOTED = 48;

/** The words of the deciding clause, in quotation marks. */
export function quote(view: View, ...kinds: readonly Parameters<typeof clauseOf>[1][]): string {
  // A clause that is only a sign shows no words.
  const shown =
    (clauseOf(view, ...kinds) ?? view.clauses[0])?.shown.trim() || view.text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return `“${shown.length > MOST_QUOTED ? `${shown.slice(0, MOST_QUOTED).trimEnd()}…` : shown}”`;
}

export const waits = ({ state }: View): boolean => state === 'AwaitingUser';
export const isFinished = ({ state }: View): boolean => state === 'PendingComplete';
export const isNone = ({ state }: View): boolean => state === null || state === 'Complete' || state === 'Aborted';
export const hasNoWords = ({ clauses }: View): boolean => clauses.length === 0;
export const has = (view: View, ...kinds: Parameters<typeof clauseOf>[1][]): boolean =>
  clauseOf(view, ...kinds) !== undefined;
