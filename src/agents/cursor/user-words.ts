/** Whose words a message of the user's holds: what they typed, or what Cursor puts around it and beside it. */
import { ownWords } from '../shared/own-words.ts';
import { CURSOR_FOREIGN } from './foreign.ts';

/** The user's words in a message; null where all of it is Cursor's own. */
export const promptOf = (text: string): string | null => ownWords(text, CURSOR_FOREIGN);
