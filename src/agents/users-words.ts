/** The user's own words in a message as it is kept, where an agent writes more than those into it. */
import { promptOf } from './cursor/said.ts';

/** By the name of the agent; null where all of a text is the program's. */
const OWN_WORDS: ReadonlyMap<string | null, (text: string) => string | null> = new Map([['cursor', promptOf]]);

/** @param agent whose session the message stands in */
export const usersWords = (agent: string | null, text: string): string => OWN_WORDS.get(agent)?.(text) ?? text;
