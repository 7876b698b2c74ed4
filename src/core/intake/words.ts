/** Makes notes of what was said in a conversation with an agent, and finds the user's words in stored records. */
import { type AnyBody, isKind, kindOf, type StoredRecord } from '../records/record.ts';
import { MOVES, type NoteRole } from '../state.ts';

const AGENT = 'Agent: ';
const USER = 'User: ';

const noteOf = (content: string): AnyBody => ({ kind: 'note', role: 'plain', content, hook: true }) as AnyBody;

/** The note of what a user has said. */
export const userNote = (words: string): AnyBody => noteOf(USER + words);

/** The note of what an agent has said, or that it has stopped without a word. */
export const agentNote = (words: string): AnyBody => noteOf(words === '' ? 'The agent has stopped.' : AGENT + words);

/** Returns the user's words in such a note; null if a record is no such note. */
export const wordsOfUser = (record: StoredRecord): string | null => wordsBehind(USER, record);

/** Returns the agent's words in such a note, the beginning of a long text that lies elsewhere; null if a record is no such note. */
export const wordsOfAgent = (record: StoredRecord): string | null => wordsBehind(AGENT, record);

function wordsBehind(name: string, record: StoredRecord): string | null {
  if (!isKind(record, 'note') || record.hook !== true) return null;
  const content: unknown = record.content;
  const text = typeof content === 'string' ? content : (content as { preview?: unknown } | null)?.preview;
  return typeof text === 'string' && text.startsWith(name) ? text.slice(name.length) : null;
}

/** Roles of the notes that record a user's words. */
const USERS: readonly unknown[] = ['response', 'intervention', 'continuation'] satisfies NoteRole[];

/** Returns the user's words if a record is a note of them, or of the move that they caused; else null. */
export function wordsOfNote(record: StoredRecord): string | null {
  if (!isKind(record, 'note')) return null;
  const words = wordsOfUser(record);
  if (words !== null) return words;
  // Several moves may share a role, one of which adds nothing before the words.
  const beginnings = MOVES.flatMap(({ note }) =>
    note?.role === record.role && USERS.includes(record.role) ? [note.content('')] : [],
  ).filter((beginning) => record.content.startsWith(beginning));
  const lengths = beginnings.map((beginning) => beginning.length);
  return lengths.length === 0 ? null : record.content.slice(Math.max(...lengths));
}

/** Returns the words with which a user has confirmed a session in a conversation; null if a record is no such move. */
export const wordsOfConfirmation = (record: StoredRecord): string | null =>
  isKind(record, 'transition') && typeof record.said === 'string' ? record.said : null;

/** Returns the user's message that raised a question of ctx's; null if a record is no such question. */
export const wordsOfChoice = (record: StoredRecord): string | null =>
  kindOf(record) === 'choice' && 'message' in record ? String(record.message) : null;

/** Makes a note of what the user said while the agent was at work. */
export const intervention = (words: string): AnyBody => ({
  kind: 'note',
  role: 'intervention',
  content: MOVES.find(({ verb }) => verb === 'interrupt')?.note?.content(words) ?? words,
});

/** Words that only announce a task, and are no part of it: "New task: …". */
const ANNOUNCEMENT = /^\W{0,4}(?:an? )?(?:new|another|next|different) (?:task|topic|request)\s*[:–—-]\s*(?=\S)/i;

/** Returns a message without what only announces a task. */
export const withoutAnnouncement = (message: string): string => message.replace(ANNOUNCEMENT, '');

/** Words as they are compared: a task is what a prompt has announced. */
const compared = (words: string): string => withoutAnnouncement(words).trim();

/** Words of the user to a session as hooks have recorded them; each is the same as one prompt of the transcript. */
export class Words {
  readonly #left: Map<string, number>;
  /** When the last move was recorded, in Unix seconds. */
  readonly #until: number;
  /** True if such a prompt came: hooks have recorded everything after it up to that time. */
  #hasBegun = false;

  /** @param read those of them that the transcript had before: they are used up */
  constructor(said: Iterable<string>, until = 0, read: Iterable<string> = []) {
    this.#left = new Map();
    for (const words of said) this.#left.set(compared(words), (this.#left.get(compared(words)) ?? 0) + 1);
    for (const words of read)
      if (this.has(words)) this.#left.set(compared(words), (this.#left.get(compared(words)) ?? 0) - 1);
    this.#until = until;
  }

  /** Returns whether the user has said this, however often. */
  has(words: string): boolean {
    return this.#left.has(compared(words));
  }

  /** Takes out what is the same as a prompt; false if there is none. */
  take(words: string): boolean {
    const left = words.trim() === '' ? 0 : (this.#left.get(compared(words)) ?? 0);
    if (left <= 0) return false;
    this.#left.set(compared(words), left - 1);
    this.#hasBegun = true;
    return true;
  }

  /** Returns whether hooks have recorded what happened then. */
  covers(at: number): boolean {
    return this.#hasBegun && at <= this.#until;
  }
}
