/** The kind `note`: a remark, or what was said in a move of the session. */
import { lazily } from '../lazily.ts';
import type { Zod } from '../schema.ts';
import { NOTE_ROLES } from '../state.ts';
import { recordPlace, WORD } from '../structure.ts';
import type { Digest } from './digest.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf, textOrPreview } from './words.ts';

const stripped = (text: string, prefix: string): string => (text.startsWith(prefix) ? text.slice(prefix.length) : text);

function digestNote(digest: Digest, role: unknown, text: string): void {
  if (role === 'question') digest.conversation.push({ role: 'question', text: stripped(text, 'Question for user: ') });
  else if (role === 'response') digest.conversation.push({ role: 'answer', text: stripped(text, 'User response: ') });
  else if (role === 'intervention') {
    digest.conversation.push({ role: 'intervention', text: stripped(text, 'User intervention: ') });
  } else if (role === 'continuation' && text.startsWith('User requested continuation: ')) {
    digest.conversation.push({ role: 'intervention', text: stripped(text, 'User requested continuation: ') });
  } else if (/^decision\b\s*:?/i.test(text)) digest.decisions.push(text.replace(/^decision\s*:?\s*/i, ''));
  else if (role !== 'confirmation') digest.remarks.push(text);
}

export const note = {
  ...SILENT,
  schema: (z: Zod) =>
    z.looseObject({ kind: z.literal('note'), content: z.string(), role: z._default(z.enum(NOTE_ROLES), 'plain') }),
  structure: lazily(() => recordPlace({ role: WORD })),
  counted: 'notes',
  nouns: ['note', 'notes'],
  headline: '',
  digest: (digest, record) => {
    digest.notes.add(record);
    digestNote(digest, record.role, textOrPreview(record.content));
  },
  line: (record) => lineOf(record, fieldInWords(record.content)),
} satisfies RecordKind;
