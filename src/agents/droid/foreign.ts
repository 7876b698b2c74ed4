/** The texts that Droid writes in the user's name, by real sessions of 2026. */
import { type ForeignWords, tagNamed } from '../shared/own-words.ts';

export const DROID_FOREIGN: ForeignWords = { element: tagNamed('system[-_]reminder') };
