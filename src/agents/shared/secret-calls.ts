/** Calls about files known to hold secrets, over a whole transcript: what tells of one apart from what it took gets the path put beside it. */
// A part of its result, or a second copy of it, stands so; by the path it is known to be withheld.
import { isObject, type JsonObject, type JsonValue, objectOf } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import {
  describesSearch,
  isPathKey,
  isSecretPath,
  isTakenKey,
  mapList,
  mapObject,
  metadataOnly,
  secretFileIn,
  withoutSecretMatches,
} from '../../secrets/index.ts';
import type { Agent, Beside, Resume, TranscriptEvent, TranscriptReader } from '../contract/agent.ts';
import { idOf, readPairs } from './fields.ts';

/** Keys at which agents name a call. */
const CALL_IDS = ['tool_use_id', 'toolCallId', 'tool_call_id', 'call_id', 'callId', 'callID'] as const;
/** Keys beside which a mere `id` is that of a call: what it took, or what it gave. */
const GIVEN = ['response', 'functionResponse', 'result', 'resultDisplay', 'description'] as const;
/** Most calls that a cursor remembers: what is told of one apart from it comes soon after it. */
const CALLS_LIMIT = 64;
/** Longest path that it remembers: the end tells what a file is. */
const PATH_LIMIT = 256;
/** The key of a cursor that has them: none is written where there are none. */
const REMEMBERED = 'withheld_calls';

/** By the id of a call, the path of its file; nothing where it is a search, which tells by itself of which files its lines are. */
type Files = Map<string, string>;
const SEARCH = '';
/** Most searches that a cursor remembers: each is soon over. */
const SEARCHES_LIMIT = 4;

const hasTaken = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => isTakenKey(key) && value[key] !== null);

function callOf(value: JsonObject): string | undefined {
  const key = CALL_IDS.find((name) => value[name] !== undefined);
  if (key !== undefined) return idOf(value[key]);
  const isCall = value['id'] !== undefined && (GIVEN.some((name) => value[name] !== undefined) || hasTaken(value));
  return isCall ? idOf(value['id']) : undefined;
}

/** The path of such a file that a call took or tells of; undefined where there is none. */
function fileOf(call: JsonObject): string | undefined {
  for (const key of Object.keys(call)) {
    const path = isPathKey(key)
      ? secretFileIn(call[key], 'path')
      : isTakenKey(key)
        ? secretFileIn(call[key])
        : undefined;
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Remembers what a call says itself that it took: an id may come again, for another call. */
function learnOf(id: string, call: JsonObject, files: Files): void {
  const path = fileOf(call);
  if (path !== undefined || hasTaken(call)) files.delete(id);
  if (path !== undefined) files.set(id, path);
  else if (describesSearch(call)) files.set(id, SEARCH);
}

/** A value with the paths beside what tells of such calls; those that say themselves what they took are added to `files`. */
function withPaths(value: JsonValue, files: Files): JsonValue {
  if (Array.isArray(value)) return mapList(value, (item) => withPaths(item, files));
  if (!isObject(value)) return value;
  const id = callOf(value);
  if (id !== undefined) learnOf(id, value, files);
  const known = id === undefined || value['path'] !== undefined || hasTaken(value) ? undefined : files.get(id);
  const told = mapObject(value, (item) => withPaths(item, files));
  if (known === SEARCH) return withoutSecretMatches(told);
  if (known !== undefined && changesOthers(value)) return withoutAnswer(told);
  return known === undefined ? told : { ...told, path: known };
}

/** Whether Codex tells of changes, by path, of which some are of other files: those stay. */
function changesOthers({ changes }: JsonObject): boolean {
  return isObject(changes) && Object.keys(changes).some((path) => !isSecretPath(path));
}

/** What is told of such a call without what it said; each change is told apart by its own path. */
const withoutAnswer = (told: JsonObject): JsonObject =>
  mapObject(told, (item, key) => (key === 'changes' ? item : metadataOnly(item, key)));

/** Learns of a call in ctx's own form, which has its input beside it; one whose input was told apart from it gets the path. */
function partWith(part: JsonValue | undefined, files: Files): JsonValue | undefined {
  if (!isObject(part) || part['type'] !== 'dynamic-tool') return part;
  const id = idOf(part['toolCallId']);
  if (id === undefined) return part;
  learnOf(id, part, files);
  const path = hasTaken(part) || part['locations'] !== undefined ? undefined : files.get(id);
  if (path === SEARCH) return withoutSecretMatches(part);
  return path === undefined ? part : { ...part, locations: [{ path }] };
}

/** A record with the paths beside what it tells in the form of its agent. */
function bodyWith(body: AnyBody, files: Files): AnyBody {
  const fields = body as JsonObject;
  if (body.kind === 'raw') return withLines(fields, 'data', files) as AnyBody;
  if (body.kind === 'part') {
    const held = mapObject(fields, (item, key) => (key === 'part' ? (partWith(item, files) ?? null) : item));
    return withLines(held, 'lines', files) as AnyBody;
  }
  return body.kind === 'message'
    ? (mapObject(fields, (item, key) => (key === 'message' ? messageWith(item, files) : item)) as AnyBody)
    : body;
}

function messageWith(message: JsonValue, files: Files): JsonValue {
  if (!isObject(message)) return message;
  return mapObject(message, (item, key) => {
    if (key === 'parts' && Array.isArray(item)) return mapList(item, (part) => partWith(part, files) ?? null);
    return key === 'metadata' && isObject(item) ? withLines(item, 'lines', files) : item;
  });
}

function withLines(holder: JsonObject, key: string, files: Files): JsonObject {
  return mapObject(holder, (item, name) => (name === key ? withPaths(item, files) : item));
}

/** The reader of an agent, whose records tell the path of each such file wherever they tell of a call about it. */
export function readerWithPaths(agent: Agent, resume: Resume | null, beside?: Beside): TranscriptReader {
  const reader = agent.reader(resume, beside);
  const files: Files = new Map(readPairs(objectOf(resume?.cursor)?.[REMEMBERED]));
  const known = (event: TranscriptEvent): TranscriptEvent => {
    if (event.type !== 'record') return event;
    const body = bodyWith(event.body, files);
    return body === event.body ? event : { ...event, body };
  };
  /** A message may come before the line, kept as it is, that tells what its call took. */
  const all = (events: Iterable<TranscriptEvent>): TranscriptEvent[] => {
    const told = Array.from(events);
    for (const event of told.slice(1)) if (event.type === 'record' && event.body.kind === 'raw') known(event);
    return told.map(known);
  };
  return {
    line: (text, number) => all(reader.line(text, number)),
    end: () => all(reader.end()),
    cursor: () => {
      const cursor = reader.cursor();
      return files.size === 0 || !isObject(cursor) ? cursor : { ...cursor, [REMEMBERED]: forCursor(files) };
    },
  };
}

function forCursor(files: Files): [string, string][] {
  const all = [...files];
  const searches = new Set(all.filter(([, path]) => path === SEARCH).slice(-SEARCHES_LIMIT));
  const kept = all.filter((call) => call[1] !== SEARCH || searches.has(call));
  return kept.slice(-CALLS_LIMIT).map(([id, path]) => [id, path.slice(-PATH_LIMIT)]);
}
