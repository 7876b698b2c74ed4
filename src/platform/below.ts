/** Joins names to a path without normalising it: `node:path` inspects every character in JavaScript at every call. */
import { sep } from 'node:path';

/** Joins a folder and names; both must be normalised already. */
export const below = (folder: string, ...names: readonly string[]): string => folder + sep + names.join(sep);
