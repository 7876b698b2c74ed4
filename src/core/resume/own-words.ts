/** Recognises what ctx itself has put into a conversation when a session was resumed: none of it is the user's. */

import { ownCommandIn } from './own-commands.ts';

/** Beginning of a context block, up to the name of its fence. */
export const OPENING = 'From ctx, the memory of this project: an earlier session that is resumed.';

/** End of a context block. */
export const CLOSING =
  'Acknowledge in a sentence or two that you resume this session and where it stopped, then continue from there. If the next step is not clear, ask the user.';

/** Request to an agent whose context does not lie in its prompt. */
export const REQUEST = 'Resume the session that ctx has handed over to you.';

/** Returns a text without the context blocks in it, and without the request that comes with one. */
export function withoutBlocks(text: string): string {
  let rest = text;
  for (let at = rest.indexOf(OPENING); at >= 0; at = rest.indexOf(OPENING, at)) {
    const fence = /=== ctx ([0-9a-f]+) begins/.exec(rest.slice(at, at + 1000))?.[1];
    const end = fence === undefined ? -1 : rest.indexOf(`=== ctx ${fence} ends`, at);
    if (end < 0) break;
    const closing = rest.indexOf(CLOSING, end);
    const behind = closing < 0 ? end + `=== ctx ${fence} ends`.length : closing + CLOSING.length;
    rest = rest.slice(0, at) + rest.slice(behind);
  }
  return rest.trim() === REQUEST ? '' : rest;
}

/** Checks if a prompt holds a context block, is the request that comes with one, or a command of ctx. */
export const isHandover = (text: string): boolean =>
  text.includes(OPENING) || text.trim() === REQUEST || ownCommandIn(text) !== null;

/** The variable by which an agent that ctx starts passes on which session it continues: `<session>:<head when it was resumed>`. */
export const RESUMED_VARIABLE = 'CTX_RESUMED';
