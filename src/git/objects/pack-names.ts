/** Recognises the files of a pack by their names: all that Git opens, whichever program made them. */

/**
 * A file of a pack: `pack-<checksum>.pack`, `loose-<checksum>.idx` of `git maintenance`, or any other name that a user
 * chose. Not the temporary file of a running or killed Git.
 */
const FILE =
  /^(?!\.|tmp_)(?:(?<name>.+)\.(?:pack|idx|rev|bitmap|mtimes|keep|promisor)|(?<named>pack-[0-9a-f]{40})\.\w+)$/;

/** Returns whether a file is the index of a pack, by its name: a pack without one is not read. */
export const isIndexName = (name: string): boolean => /^(?!\.|tmp_).+\.idx$/.test(name);

/** Returns the name, without a suffix, of the pack that a file belongs to; undefined if it belongs to none. */
export function packOf(file: string): string | undefined {
  const { name, named } = FILE.exec(file)?.groups ?? {};
  return name ?? named;
}
