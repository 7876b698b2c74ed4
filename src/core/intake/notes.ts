/** Finds questions of tools, and their answers, in the stored notes of a session. */
import { isKind, type StoredRecord } from '../records/record.ts';
import { moveOf } from '../state.ts';

/** A question of a tool, its call if that is known, and the answer. */
export interface ToolQuestion {
  asked: string;
  call: string | null;
  answer: string | null;
}

/** Returns the content of the note of a question or an answer. */
export const wordsOfQuestion = (verb: 'ask' | 'respond', text: string): string =>
  moveOf(verb).note?.content(text) ?? text;

/** Returns whether a record is of a call that has put a question to the user, or of the answer that it brought. */
export const isOfCall = (record: StoredRecord, call: string): boolean => record['of_call'] === call;

/** Returns whether a note has what the user has answered to a tool, within a turn. */
export const answersTool = (record: StoredRecord): boolean =>
  isKind(record, 'note') && record.role === 'response' && typeof record['of_call'] === 'string';

/** Returns whether a record ends or begins a turn: a question that a tool has put, and its answer, lie within one. */
const movesTurn = (record: StoredRecord): boolean =>
  isKind(record, 'transition') && record.from?.kind !== 'AwaitingUser' && record.to.kind !== 'AwaitingUser';

/** The stored notes and transitions, the latest first; a long text may lie elsewhere. */
export class Notes {
  readonly #latest: () => Iterable<StoredRecord>;
  /** The notes without a call in the current turn, each of which counts once: some agents pass no ids to their hooks. */
  #unnamed: string[] | undefined;
  /** The call whose question is one of them. */
  #call: string | null = null;

  constructor(latest: () => Iterable<StoredRecord>) {
    this.#latest = latest;
  }

  /**
   * Returns what the notes have of a question.
   * @param isByCall whether only notes that name a call are compared: an event of a transcript names its own
   */
  partOf({ asked, call, answer }: ToolQuestion, isByCall: boolean): 'nothing' | 'question' | 'answer' {
    /** A question without its call is an earlier one if something was answered since. */
    let isOpen = true;
    /** True if an agent that names no calls has reported the same answer in this turn. */
    let isAnswered = false;
    let isThisTurn = true;
    for (const record of this.#latest()) {
      if (isByCall && !('of_call' in record)) continue;
      isThisTurn &&= !movesTurn(record);
      if (!isKind(record, 'note')) continue;
      const isOwn = call !== null && isOfCall(record, call);
      const content: unknown = record.content;
      const says = (words: string): boolean => content === words || (isOwn && typeof content !== 'string');
      if (record.role === 'response') {
        if (isOwn && (answer === null || says(wordsOfQuestion('respond', answer)))) return 'answer';
        isAnswered =
          isOpen && isThisTurn && call === null && answer !== null && says(wordsOfQuestion('respond', answer));
        isOpen = isAnswered;
      }
      const isUnnamed = isOpen && (call === null || record['of_call'] === undefined);
      if (record.role !== 'question' || !(isOwn || isUnnamed)) continue;
      if (says(wordsOfQuestion('ask', asked))) return isAnswered ? 'answer' : 'question';
      if (isAnswered) isOpen = false;
    }
    return 'nothing';
  }

  /** Takes out a note of this turn without a call that is the same; false if there is none. An answer belongs to its question. */
  takeUnnamed({ asked, call, answer }: ToolQuestion): boolean {
    this.#unnamed ??= unnamedIn(this.#latest());
    const words = answer === null ? wordsOfQuestion('ask', asked) : wordsOfQuestion('respond', answer);
    const index = answer === null || this.#call === call ? this.#unnamed.indexOf(words) : -1;
    if (index < 0) return false;
    this.#unnamed.splice(index, 1);
    this.#call = call;
    return true;
  }
}

/** Returns the notes without a call in the current turn. */
function unnamedIn(latest: Iterable<StoredRecord>): string[] {
  const found: string[] = [];
  for (const record of latest) {
    if (movesTurn(record)) break;
    const isOfTool = isKind(record, 'note') && (record.role === 'question' || record.role === 'response');
    if (isOfTool && !('of_call' in record)) found.push(record.content);
  }
  return found;
}
