/** `ctx why` and `ctx blame`: which sessions touched a path, and which step wrote each of its lines. */
import { resolve } from 'node:path';
import { askCatalog, type Catalog, type CatalogOptions } from '../../catalog/catalog.ts';
import { type PathEvent, PromptFinder, pathEvents, pathsMeant } from '../../catalog/find/path-events.ts';
import { attribute, type Compare, carried, type Origin, type Version } from '../../core/attribution.ts';
import { CtxError } from '../../core/errors.ts';
import { recordPath } from '../../core/file-path.ts';
import { isChunked } from '../../git/objects/payload.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { walkChain } from '../../history/chain/chain.ts';
import { archiveRef, sessionRef } from '../../history/names/layout.ts';
import { shortIdsOf } from '../../history/pointers/candidates.ts';
import type { Repository } from '../../history/store/repository.ts';
import { readIfThere } from '../../platform/files.ts';

/** Largest content whose lines are compared, in bytes. */
const COMPARED = 4 * 1024 * 1024;

/** An operation of a session on a path, with the prompt that led to it. */
export interface Touch {
  session_id: string;
  short_id: string;
  title: string;
  agent: string | null;
  /** `wrote`, `deleted` or `read`: of several the first of these. */
  did: 'wrote' | 'deleted' | 'read';
  step: number;
  /** Unix seconds. */
  at: number;
  /** The user's last words before it; null if nothing is known. */
  prompt: string | null;
  message_id: string | null;
}

/** The origin of a line. */
export interface LineOrigin {
  line: number;
  text: string;
  /**
   * `step`: this step wrote it. `after`: no step between is known to have written it, and this one wrote something that ctx has not
   * seen. `outside`: something else than a session changed it. `older`: it is older than what ctx remembers. `unsaved`: it is in the file, and in no session yet.
   */
  origin: 'step' | 'after' | 'outside' | 'older' | 'unsaved';
  /** The number of the line in the version that has it first. */
  original_line: number;
  session_id: string | null;
  short_id: string | null;
  title: string | null;
  agent: string | null;
  step: number | null;
  /** The commit of that step. */
  commit: string | null;
  at: number | null;
}

export interface WhyResult {
  path: string;
  touches: Touch[];
  /** The line that was asked for; null if none was. */
  line: (LineOrigin & { prompt: string | null; message_id: string | null }) | null;
}

export interface BlameResult {
  path: string;
  lines: LineOrigin[];
}

export interface PathOptions {
  /** Folder in which a relative path starts. */
  directory: string;
  catalog?: CatalogOptions | undefined;
}

/** Returns the comparison of lines; the library for it is loaded here. */
async function comparer(): Promise<Compare> {
  const { diffArrays } = await import('diff');
  return (before, after) => diffArrays([...before], [...after]);
}

/** Says which sessions touched a path, the newest first, and the origin of a line. @throws {CtxError} not_found, ambiguous, damaged */
export async function whyPath(
  repository: Repository,
  path: string,
  line: number | null,
  options: PathOptions,
): Promise<WhyResult> {
  const compare = await comparer();
  return askCatalog(
    repository,
    { sessions: true },
    (catalog) => {
      const { name, file } = pathNamed(repository, catalog, path, options);
      const events = pathEvents(repository, catalog, name);
      const prompts = new PromptFinder(repository, catalog);
      const short = shortIdsOf(repository);
      const touches = touchesIn(events, prompts, short);
      if (line === null) return { path: name, touches, line: null };
      const { lines, sources } = originsOf(repository, events, file, compare, short);
      const found = lines[line - 1];
      if (!found)
        throw new CtxError('not_found', `${name} has ${lines.length} lines; there is no line ${line}.`, {
          hint: `See its lines with: ctx blame ${name}`,
        });
      const event = sources[line - 1];
      const prompt = event ? prompts.before(event.session.id, event.step, event.at) : null;
      return {
        path: name,
        touches,
        line: {
          ...(withCommits(repository, [found])[0] as LineOrigin),
          prompt: prompt?.text ?? null,
          message_id: prompt?.message_id ?? null,
        },
      };
    },
    options.catalog,
  );
}

/** Says of each line of a file where it is from. @throws {CtxError} not_found, ambiguous, damaged */
export async function blamePath(repository: Repository, path: string, options: PathOptions): Promise<BlameResult> {
  const compare = await comparer();
  return askCatalog(
    repository,
    { sessions: true },
    (catalog) => {
      const { name, file } = pathNamed(repository, catalog, path, options);
      const events = pathEvents(repository, catalog, name);
      const { lines } = originsOf(repository, events, file, compare, shortIdsOf(repository));
      return { path: name, lines: withCommits(repository, lines) };
    },
    options.catalog,
  );
}

/** Returns the path of the store that is meant, and the file on disk. @throws {CtxError} not_found, ambiguous */
function pathNamed(
  repository: Repository,
  catalog: Catalog,
  path: string,
  { directory }: PathOptions,
): { name: string; file: string } {
  const file = resolve(directory, path);
  const exact = recordPath(file, repository.project);
  const [only, ...others] = pathsMeant(catalog, exact);
  const found = only === undefined ? pathsMeant(catalog, path.replace(/^\.\//, '')) : [only, ...others];
  const [name, ...more] = found;
  if (name === undefined)
    throw new CtxError('not_found', `No session has done anything with ${path}.`, {
      hint: `Look for it with: ctx search ${path}`,
    });
  if (more.length === 0) return { name, file: name === exact ? file : resolve(repository.project, name) };
  throw new CtxError('ambiguous', `${path} is the end of ${found.length} paths.`, {
    hint: ['Give one of these:', ...found.slice(0, 9)].join('\n'),
    data: { candidates: found },
  });
}

const DID = { write: 'wrote', delete: 'deleted', read: 'read' } as const;
const RANK = ['wrote', 'deleted', 'read'] as const;

/** Returns a row for each session, of the last time that it did the thing that says the most. */
function touchesIn(events: readonly PathEvent[], prompts: PromptFinder, short: ReadonlyMap<string, string>): Touch[] {
  const last = new Map<string, PathEvent>();
  for (const event of events) {
    const before = last.get(event.session.id);
    if (!before || RANK.indexOf(DID[event.did]) <= RANK.indexOf(DID[before.did])) last.set(event.session.id, event);
  }
  return [...last.values()]
    .sort((a, b) => b.at - a.at || (a.record < b.record ? 1 : -1))
    .map(({ session, did, step, at }) => {
      const prompt = prompts.before(session.id, step, at);
      const { id: session_id, title, agent } = session;
      const short_id = short.get(session_id) ?? session_id;
      return {
        session_id,
        short_id,
        title,
        agent,
        did: DID[did],
        step,
        at,
        prompt: prompt?.text ?? null,
        message_id: prompt?.message_id ?? null,
      };
    });
}

/** Returns the origin of each line of the file as it is now, or as ctx last saw it, with the event behind each. @throws {CtxError} not_found */
function originsOf(
  repository: Repository,
  events: readonly PathEvent[],
  file: string,
  compare: Compare,
  short: ReadonlyMap<string, string>,
): { lines: LineOrigin[]; sources: (PathEvent | null)[] } {
  const versions = events.map((event): Version => versionOf(repository, event));
  const known = attribute(versions, compare);
  const disk = linesIn(readIfThere(file) ?? null);
  if (!known && disk === null)
    throw new CtxError('not_found', `ctx holds no version of ${file}, and there is no such file.`, {
      hint: 'See: ctx why <path>',
    });
  const unseen = versions.findLastIndex(({ lines, isMade }) => lines === null && isMade);
  const lastKnown = versions.findLastIndex(({ lines }) => lines !== null);
  const fresh = (line: number): Origin | 'unsaved' =>
    unseen > lastKnown
      ? { kind: 'unseen', version: unseen, line }
      : known
        ? 'unsaved'
        : { kind: 'older', version: null, line };
  const lines = disk ?? known?.lines ?? [];
  const origins: (Origin | 'unsaved')[] =
    disk === null
      ? (known?.origins ?? [])
      : carried<Origin | 'unsaved'>(known?.origins ?? [], known?.lines ?? [], disk, compare, fresh);
  const sources = origins.map((origin) =>
    origin === 'unsaved' || origin.version === null ? null : (events[origin.version] as PathEvent),
  );
  return {
    lines: lines.map((text, index) =>
      lineOrigin(text, index, origins[index] ?? 'unsaved', sources[index] ?? null, short),
    ),
    sources,
  };
}

const NAMES = { made: 'step', unseen: 'after', outside: 'outside', older: 'older' } as const;

function lineOrigin(
  text: string,
  index: number,
  origin: Origin | 'unsaved',
  event: PathEvent | null,
  short: ReadonlyMap<string, string>,
): LineOrigin {
  const session = event?.session ?? null;
  return {
    line: index + 1,
    text,
    origin: origin === 'unsaved' ? 'unsaved' : NAMES[origin.kind],
    original_line: origin === 'unsaved' ? index + 1 : origin.line,
    session_id: session?.id ?? null,
    short_id: session ? (short.get(session.id) ?? session.id) : null,
    title: session?.title ?? null,
    agent: session?.agent ?? null,
    step: event?.step ?? null,
    commit: null,
    at: event?.at ?? null,
  };
}

function versionOf({ objects }: Repository, { did, blob, lines }: PathEvent): Version {
  const isMade = did !== 'read';
  if (did === 'delete') return { lines: [], isMade };
  if (blob === null || !objects.holds(blob)) return { lines: null, isMade };
  const { type, content } = objects.read(blob);
  if (type === 'blob') {
    const wrote = (line: number) => (lines ?? []).some(([first, count]) => line >= first && line < first + count);
    return { lines: linesIn(content), isMade, ...(lines ? { wrote } : {}) };
  }
  const chunks = type === 'tree' ? readTree(objects, blob) : [];
  return { lines: isChunked(chunks) ? null : [], isMade };
}

/** Returns the lines of a text; null if there is none, or it is binary or too large to compare. */
function linesIn(content: Buffer | null): string[] | null {
  if (content === null || content.length > COMPARED || content.subarray(0, 8000).includes(0)) return null;
  const lines = content.toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Adds the commits of the steps that lines are from. @throws {CtxError} damaged */
function withCommits({ objects, refs }: Repository, lines: readonly LineOrigin[]): LineOrigin[] {
  const wanted = new Set(lines.flatMap(({ session_id }) => session_id ?? []));
  const commits = new Map<string, string>();
  for (const id of wanted) {
    const head = refs.read(sessionRef(id)) ?? refs.read(archiveRef(id));
    if (head === null) continue;
    for (const [oid, { message }] of walkChain(objects, head))
      commits.set(`${id} ${/^Ctx-Step: (\d+)$/m.exec(message)?.[1]}`, oid);
  }
  return lines.map((line) => ({ ...line, commit: commits.get(`${line.session_id} ${line.step}`) ?? null }));
}
