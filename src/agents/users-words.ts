/** The user's own words in a kept message, by the table of its agent, which the agent's reader and hooks use, too. */
import { usersWordsIn } from './claude-code/user-words.ts';
import { CODEX_FOREIGN } from './codex/foreign.ts';
import { COPILOT_FOREIGN } from './copilot/foreign.ts';
import { CURSOR_FOREIGN } from './cursor/foreign.ts';
import { GEMINI_FOREIGN } from './gemini/foreign.ts';
import { OPENCODE_FOREIGN } from './opencode/foreign.ts';
import { PI_FOREIGN } from './pi/foreign.ts';
import { type ForeignWords, ownWordsIn } from './shared/own-words.ts';

type Texts = readonly string[];
const whole = (texts: Texts): string => texts.join('\n\n');

const by =
  (foreign: ForeignWords) =>
  (texts: Texts): string | null =>
    ownWordsIn(texts, foreign);

/** Functions that return the user's own words in the texts of a message, by the agent's name; null if a program wrote all of them. */
const OWN_WORDS: ReadonlyMap<string | null, (texts: Texts) => string | null> = new Map([
  ['claude-code', usersWordsIn],
  ['codex', by(CODEX_FOREIGN)],
  ['copilot', by(COPILOT_FOREIGN)],
  ['cursor', by(CURSOR_FOREIGN)],
  ['gemini', by(GEMINI_FOREIGN)],
  ['opencode', by(OPENCODE_FOREIGN)],
  ['pi', by(PI_FOREIGN)],
]);

/**
 * Returns the user's own words in a message; null if a program wrote all of it.
 * @param agent the agent of the message's session
 * @param texts the texts of the message, in order
 */
export const usersWords = (agent: string | null, texts: Texts): string | null => (OWN_WORDS.get(agent) ?? whole)(texts);
