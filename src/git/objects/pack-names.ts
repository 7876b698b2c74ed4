/** Which files beside each other are a pack, by their names: all that Git opens, whoever made them. */

/**
 * A file of a pack: `pack-<checksum>.pack`, `loose-<checksum>.idx` of `git maintenance`, or whatever else a user has put there.
 * Not what a Git has begun and not named yet, or what a killed one has left.
 */
const FILE =
  /^(?!\.|tmp_)(?:(?<name>.+)\.(?:pack|idx|rev|bitmap|mtimes|keep|promisor)|(?<named>pack-[0-9a-f]{40})\.\w+)$/;

/** Whether a file is the index of a pack, by its name: without one a pack is not read. */
export const isIndexName = (name: string): boolean => /^(?!\.|tmp_).+\.idx$/.test(name);

/** The name, without an ending, of the pack that a file belongs to; undefined where it is of none. */
export function packOf(file: string): string | undefined {
  const { name, named } = FILE.exec(file)?.groups ?? {};
  return name ?? named;
}
