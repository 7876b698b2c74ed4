/** Names below a folder, without the reading of every character that `node:path` does in JavaScript at every call. */
import { sep } from 'node:path';

/** The path of a name below a folder; both must be as they should be: nothing is normalised. */
export const below = (folder: string, ...names: readonly string[]): string => folder + sep + names.join(sep);
