/** Decides whether the user puts the task aside for another one: "put this on hold, prod is down: find out why". */
import { wordSet } from '../core/word-set.ts';
import { namesTask } from './announced-task.ts';
import { mentionsSpoken, namesTheSpoken, type View } from './message-view.ts';
import type { ClauseKind, ClauseReading } from './reading.ts';

const PARKS = wordSet('put park drop postpone shelve pause leave forget');
/** Words behind which is nothing else that is put aside. */
const ALONE = wordSet('park postpone shelve pause drop forget');
const TASK = wordSet('this that it everything what');
/** How a clause that puts something aside ends, or continues behind that. */
const ASIDE = wordSet('aside hold');
const LATER = wordSet('later now tomorrow');
const BEHIND = wordSet('and instead first');

/** As many words as report a task; fewer may be about the one at hand. */
const TASK_TOLD = 4;

interface Parking {
  /** Whether the clause postpones the whole task, and not something that it names. */
  isOfTask: boolean;
  /** The rest of the clause. */
  rest: readonly string[];
}

/** Returns how a clause puts something aside; null if it does not. */
function parkingOf({ words }: ClauseReading): Parking | null {
  if (words.slice(-2).join(' ') === 'can wait') return { isOfTask: true, rest: [] };
  const at = words.findIndex((word) => PARKS.has(word));
  if (at < 0 || at > 3) return null;
  const verb = words[at] as string;
  const object = words[at + 1] ?? '';
  const behind = words.findIndex((word, index) => index > at && BEHIND.has(word));
  const said = words.slice(at + 1, behind < 0 ? words.length : behind);
  const rest = behind < 0 ? [] : words.slice(behind).filter((word) => !BEHIND.has(word));
  const last = said.at(-1) ?? '';
  const isDoing = verb === 'drop' && object === 'what' && last === 'doing';
  const isAside = verb === 'put' && ASIDE.has(last);
  const isPutOff = ALONE.has(verb) && verb !== 'drop' && TASK.has(object) && (said.length === 1 || LATER.has(last));
  if (isDoing || isAside || (isPutOff && !(verb === 'forget' && said.length === 1))) return { isOfTask: true, rest };
  if (!LATER.has(last) || !said.includes('for')) return null;
  return { isOfTask: verb === 'leave' && (object === 'this' || object === 'that') && last !== 'now', rest };
}

const WORK: readonly ClauseKind[] = ['request', 'suggest', 'follow', 'topic', 'inform', 'ask', 'tell', 'own'];
const wantsElse = (view: View, clause: ClauseReading): boolean =>
  WORK.includes(clause.kind) &&
  clause.words.length >= TASK_TOLD &&
  !mentionsSpoken(view, clause) &&
  !namesTheSpoken(view, clause);

/** The clause that puts the task aside, if another one is informed behind it. */
export function postponingClause(view: View): ClauseReading | undefined {
  return view.clauses.find((clause, index) => {
    const parking = parkingOf(clause);
    if (!parking) return false;
    const behind = view.clauses.slice(index + 1);
    if (parking.rest.length > 0) behind.unshift({ ...clause, kind: 'request', words: parking.rest });
    return behind.some((later) => wantsElse(view, later) && (parking.isOfTask || later.words.some(namesTask)));
  });
}
