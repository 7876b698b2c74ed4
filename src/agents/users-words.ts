/** The user's own words in a message as it is kept, where an agent writes more than those into it. */
import { usersWordsIn } from './claude-code/said.ts';
import { promptOf } from './cursor/said.ts';

type Texts = readonly string[];
const whole = (texts: Texts): string => texts.join('\n\n');

/** By the name of the agent; null where all of the texts are the program's. */
const OWN_WORDS: ReadonlyMap<string | null, (texts: Texts) => string | null> = new Map([
  ['claude-code', usersWordsIn],
  ['cursor', (texts: Texts) => promptOf(whole(texts)) ?? whole(texts)],
]);

/** @param agent whose session the message stands in @param texts those of the message, in order */
export const usersWords = (agent: string | null, texts: Texts): string | null => (OWN_WORDS.get(agent) ?? whole)(texts);
