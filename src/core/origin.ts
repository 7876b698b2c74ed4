/** The origin of a session that came from elsewhere, and what its paths are here. */
import { lazily } from './lazily.ts';
import type { Zod } from './schema.ts';
import { place } from './structure.ts';

/** The identity of a Git repository: what every clone of it has in common. */
const repositoryIdentity = (z: Zod) =>
  z.object({
    /** Its commits without a parent, sorted. */
    roots: z.array(z.string()),
    /** The URL that it was cloned from, without a user, a password and `.git`; null if it has none. */
    remote: z.nullable(z.string()),
  });
export interface RepositoryIdentity {
  roots: string[];
  remote: string | null;
}

export const originFormat = (z: Zod) =>
  z.object({
    /** The random id of the machine. */
    machine: z.string(),
    repository: z.nullable(repositoryIdentity(z)),
    /** The folders by which the project was known there. */
    paths: z.array(z.string()),
  });
/** Machine, repository and paths of the place in which a bundle was written. */
export interface Origin {
  machine: string;
  repository: RepositoryIdentity | null;
  paths: string[];
}

/** A folder of another machine, and what it is here. */
export interface Mapping {
  from: string;
  to: string;
}

/** A mapping, and who says so. */
export interface FoundMapping extends Mapping {
  by: 'user' | 'guess';
}

/** The origin of an imported session, and what its folders are here. */
export const keptOrigin = (z: Zod) =>
  z.object({
    machine: z.string(),
    repository: z.nullable(repositoryIdentity(z)),
    paths: z.array(z.string()),
    mapped: z.array(z.object({ from: z.string(), to: z.string() })),
  });
export interface KeptOrigin extends Origin {
  mapped: Mapping[];
}

/** Structural fields of an origin: ids, in which a search for secrets would find some. */
export const originPlace = lazily(() =>
  place({ machine: /^[0-9a-f]{32}$/ }, { repository: place({ roots: /^[0-9a-f]{40,64}$/ }) }),
);

/** Returns a URL of a repository without what differs from clone to clone; null for a path, which says nothing elsewhere. */
export function plainRemote(url: string): string | null {
  const [, host = '', path = ''] =
    /^(?:[a-z+]+:\/\/)(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+)$/i.exec(url) ??
    /^(?:[^/@:]+@)?([^/:]{2,}):(?!\/\/)(.+)$/.exec(url) ??
    [];
  if (host === '' || path === '') return null;
  return `${host.toLowerCase()}/${path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')}`;
}

/** Returns whether two repositories are one: a first commit in common, or the same place that they were cloned from. */
export function isSameRepository(one: RepositoryIdentity | null, other: RepositoryIdentity | null): boolean {
  if (one === null || other === null) return false;
  if (one.roots.some((root) => other.roots.includes(root))) return true;
  return one.remote !== null && one.remote === other.remote;
}

/** Returns what a path of another machine is here, by the longest mapping that it lies in; the path itself if it lies in none. */
export function mapPath(path: string, mappings: readonly Mapping[]): string {
  const fitting = mappings.filter(
    ({ from }) => path === from || path.startsWith(`${withoutEnd(from)}/`) || path.startsWith(`${withoutEnd(from)}\\`),
  );
  const [longest] = fitting.sort((a, b) => b.from.length - a.from.length);
  return longest ? withoutEnd(longest.to) + path.slice(withoutEnd(longest.from).length).replaceAll('\\', '/') : path;
}

/** A folder without the slashes at its end. */
const withoutEnd = (folder: string): string => folder.replace(/(?<=.)[/\\]+$/, '');

/** Words where a session came from. */
export const originInWords = ({ machine, paths }: Origin): string =>
  `${paths[0] ?? 'a project'} on machine ${machine.slice(0, 6)}`;
