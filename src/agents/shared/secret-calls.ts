/** Adds the path to every record of a call about a file that is known to hold secrets, over a whole transcript. */
// A part of a result, or a second copy of it, may be in another record than the call's input, and is withheld by that path.
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

/** Keys with which agents name a call. */
const CALL_IDS = ['tool_use_id', 'toolCallId', 'tool_call_id', 'call_id', 'callId', 'callID'] as const;
/** Keys that make an `id` beside them that of a call: its input, or its output. */
const GIVEN = ['response', 'functionResponse', 'result', 'resultDisplay', 'description'] as const;
/** The number of calls that a cursor holds: a record about one comes soon after it. */
const CALLS_LIMIT = 64;
/** The longest path that a cursor holds: the end of a path identifies the file. */
const PATH_LIMIT = 256;
/** The key of the calls in a cursor, which is absent if there are none. */
const REMEMBERED = 'withheld_calls';

/** The path of each call's file, by the id of the call; empty for a search, whose lines name their files themselves. */
type Files = Map<string, string>;
const SEARCH = '';
/** The number of searches that a cursor holds: each is soon over. */
const SEARCHES_LIMIT = 4;

const hasTaken = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => isTakenKey(key) && value[key] !== null);

function callOf(value: JsonObject): string | undefined {
  const key = CALL_IDS.find((name) => value[name] !== undefined);
  if (key !== undefined) return idOf(value[key]);
  const isCall = value['id'] !== undefined && (GIVEN.some((name) => value[name] !== undefined) || hasTaken(value));
  return isCall ? idOf(value['id']) : undefined;
}

/** Returns the path of such a file in a call's fields; undefined if there is none. */
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

/** Adds the file of a call that contains its own input, or removes an earlier call with the same id. */
function learnOf(id: string, call: JsonObject, files: Files): void {
  const path = fileOf(call);
  if (path !== undefined || hasTaken(call)) files.delete(id);
  if (path !== undefined) files.set(id, path);
  else if (describesSearch(call)) files.set(id, SEARCH);
}

/** Returns a value with the paths of such calls added; the file of a call that contains its own input is added to `files`. */
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

/** Returns whether a record of Codex lists changes by path, some of other files: those are kept. */
function changesOthers({ changes }: JsonObject): boolean {
  return isObject(changes) && Object.keys(changes).some((path) => !isSecretPath(path));
}

/** Returns a record of such a call without its output; each change is withheld by its own path. */
const withoutAnswer = (told: JsonObject): JsonObject =>
  mapObject(told, (item, key) => (key === 'changes' ? item : metadataOnly(item, key)));

/** Adds the file of a call in ctx's own form, which has its input; a part without its input gets the path. */
function partWith(part: JsonValue | undefined, files: Files): JsonValue | undefined {
  if (!isObject(part) || part['type'] !== 'dynamic-tool') return part;
  const id = idOf(part['toolCallId']);
  if (id === undefined) return part;
  learnOf(id, part, files);
  const path = hasTaken(part) || part['locations'] !== undefined ? undefined : files.get(id);
  if (path === SEARCH) return withoutSecretMatches(part);
  return path === undefined ? part : { ...part, locations: [{ path }] };
}

/** Returns a record with the paths added to what it keeps in the form of its agent. */
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

/** Returns the reader of an agent, whose records get the path of each such file in everything about a call. */
export function readerWithPaths(agent: Agent, resume: Resume | null, beside?: Beside): TranscriptReader {
  const reader = agent.reader(resume, beside);
  const files: Files = new Map(readPairs(objectOf(resume?.cursor)?.[REMEMBERED]));
  const known = (event: TranscriptEvent): TranscriptEvent => {
    if (event.type !== 'record') return event;
    const body = bodyWith(event.body, files);
    return body === event.body ? event : { ...event, body };
  };
  /** A message may come before the raw line that contains the input of its call: the raw lines are read first. */
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
