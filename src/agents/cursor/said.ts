/** Whose words a message of the user's holds: what they typed, or what Cursor puts around it and beside it. */

const QUERY = /<user_query>\n?([\s\S]*?)\n?<\/user_query>/g;
const BESIDE = /<(\w+)(?: [^>]*)?>[\s\S]*?<\/\1>/g;

/** The user's words in a message; null where all of it is Cursor's own. */
export function promptOf(text: string): string | null {
  const queries = [...text.matchAll(QUERY)].map(([, query]) => query ?? '');
  const words = queries.length > 0 ? queries.join('\n') : text.replaceAll(BESIDE, '');
  return words.trim() || null;
}
