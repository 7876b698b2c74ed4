/** Makes messages of what hooks have recorded of a conversation that no transcript has shown. Pure. */
import { wordsOfAgent, wordsOfConfirmation, wordsOfNote } from '../intake/words.ts';
import { isKind, type StoredRecord } from '../records/record.ts';
import { textOrPreview } from '../records/words.ts';
import { moveOf } from '../state.ts';
import { OWN } from './fold.ts';
import type { ViewedMessage } from './view.ts';

/** Words of the note of a question before the question itself. */
const ASKED = moveOf('ask').note?.content('') ?? '';

type Said = [role: 'user' | 'assistant', text: string];

/** Returns what was said by a record; null if nothing was. */
function saidBy(record: StoredRecord, untitled: string): Said | null {
  if (isKind(record, 'task')) return ['user', record.content === untitled ? '' : textOrPreview(record.content)];
  if (isKind(record, 'transition')) {
    const confirmed = wordsOfConfirmation(record);
    if (confirmed !== null) return ['user', confirmed];
    return record.to.kind === 'PendingComplete' ? ['assistant', textOrPreview(record.to.summary)] : null;
  }
  if (!isKind(record, 'note')) return null;
  const words = wordsOfNote({ ...record, content: textOrPreview(record.content) });
  if (words !== null) return ['user', words];
  const answer = wordsOfAgent(record);
  if (answer !== null) return ['assistant', answer];
  return record.role === 'question' ? ['assistant', textOrPreview(record.content).slice(ASKED.length)] : null;
}

/** Returns the messages, in the order of the records; a question that the answer before it ends with is no message of its own. */
export function notedMessages(records: Iterable<StoredRecord>, untitled: string): ViewedMessage[] {
  const messages: ViewedMessage[] = [];
  let last: Said | null = null;
  for (const record of records) {
    const said = saidBy(record, untitled);
    if (said === null || said[1].trim() === '') continue;
    const [role, text] = said;
    if (role === 'assistant' && last?.[0] === role && last[1].includes(text.trim())) continue;
    last = said;
    const metadata = { recorded_by: OWN, created_at: record.at };
    messages.push({ id: record.id, role, parts: [{ type: 'text', text }], metadata });
  }
  return messages;
}
