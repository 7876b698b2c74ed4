/** Makes notes of what was said in a conversation with an agent, if nothing else keeps it. */
import { type AnyBody, isKind, type StoredRecord } from '../records/record.ts';

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
