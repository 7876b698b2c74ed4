/** Names that filters of sessions take, in any case and in every command: states, statuses, endings and agents. */
import { COMMIT_TYPE_KINDS, typeOptions } from '../commit-types/table.ts';
import { CtxError } from '../errors.ts';
import { STATE_KINDS } from '../state.ts';

const ENDINGS: readonly string[] = [...typeOptions().keys()];
const STATUSES = ['active', 'paused', 'completed'] as const;

/** The names of states, statuses and endings. */
export const STATE_NAMES: readonly string[] = ['open', 'ended', ...STATUSES, ...STATE_KINDS, ...COMMIT_TYPE_KINDS];
/** The names of endings, as the command line has them. */
export const ENDING_NAMES = ENDINGS;
/** Names of those who say something. */
export const SPEAKERS = ['user', 'assistant'] as const;

const among = (names: readonly string[], given: string): string | null =>
  names.find((name) => name.toLowerCase() === given.toLowerCase()) ?? null;

/** Returns the name of an ending as a list shows it: `stale` is `StaleAutoCompact`; null if there is none. */
export const endingNamed = (given: string): string | null =>
  typeOptions().get(given.toLowerCase()) ?? among(COMMIT_TYPE_KINDS, given);

/** Returns the name of a state, of a status or of an ending, as a list shows it; null if there is none. */
export const stateNamed = (given: string): string | null => among(STATE_NAMES, given) ?? endingNamed(given);

/** Returns who is meant by `role:`; null if nobody is. */
export const speakerNamed = (given: string): string | null => among(SPEAKERS, given);

/** A session, as far as its states are asked for. */
export interface Stateful {
  open: boolean;
  state: string;
  /** Null if it is not known. */
  status: string | null;
  ending: string | null;
}

/** Checks if a session is in one of some states, by their names as `stateNamed` returns them. */
export const isInState = (names: readonly string[], { open, state, status, ending }: Stateful): boolean =>
  names.some((name) => name === state || name === ending || name === status || name === (open ? 'open' : 'ended'));

/** Checks if a filter asks for the status of a session. */
export const asksStatus = (names: readonly string[]): boolean =>
  names.some((name) => (STATUSES as readonly string[]).includes(name));

/** Returns the agent that is meant by its name or a beginning of it, in any case; null if that is none of some, or several. */
function agentMeant(given: string, names: Iterable<string>): string | null {
  const all = [...names];
  const beginning = all.filter((name) => name.toLowerCase().startsWith(given.toLowerCase()));
  return among(all, given) ?? (beginning.length === 1 ? (beginning[0] as string) : null);
}

/**
 * Returns the agent that is meant, among those that have sessions, else among all that ctx knows.
 * @throws {CtxError} usage, if it is none of them, or several
 */
export function knownAgent(given: string, own: Iterable<string>, others: Iterable<string>): string {
  const all = new Set([...own, ...others]);
  const meant = agentMeant(given, own) ?? agentMeant(given, all);
  if (meant !== null) return meant;
  throw new CtxError('usage', `No agent is called ${given}.`, {
    hint: `agent takes one of: ${[...all].sort().join(', ')}`,
  });
}

/**
 * Returns names of states, endings or speakers as `named` has them.
 * @throws {CtxError} usage, if there is none of a name
 */
export function namesMeant(
  filter: string,
  given: readonly string[],
  named: (name: string) => string | null,
  all: readonly string[],
): string[] {
  return given.map((name) => {
    const meant = named(name);
    if (meant !== null) return meant;
    throw new CtxError('usage', `${filter} cannot be ${name}.`, { hint: `${filter} takes one of: ${all.join(', ')}` });
  });
}
