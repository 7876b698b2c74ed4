/** Some names of a folder, of which there may be very many: it is not listed as a whole. */
import { type Dir, opendirSync } from 'node:fs';

/** Gives the names of at most so many files of a folder. */
export function someOf(folder: string, most: number): string[] {
  const names: string[] = [];
  let open: Dir | undefined;
  try {
    open = opendirSync(folder);
    for (let entry = open.readSync(); entry && names.length < most; entry = open.readSync())
      if (entry.isFile()) names.push(entry.name);
  } finally {
    open?.closeSync();
  }
  return names;
}
