/** Withholds the content of a secret file in a tool call or an attachment: that there was content is kept, and not what. */

import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { withoutNamed } from './agent-formats.ts';
import { isAbout, secretFileIn } from './file-references.ts';
import { mapList, mapObject } from './map-json.ts';
import { metadataOnly } from './metadata-only.ts';
import { withOtherFilesKept, withoutPatched } from './multi-file-calls.ts';
import { isSearch, withoutSecretMatches } from './search-calls.ts';
import { withoutSelections } from './selections.ts';
import { withoutSecretOutputs } from './tool-output-texts.ts';

/** Returns what a tool took: in a part of a message, or in a call as Gemini CLI writes it; undefined if an object is no call. */
function inputOf(value: JsonObject): JsonValue | undefined {
  if (value['type'] === 'dynamic-tool') return value['input'];
  return typeof value['name'] === 'string' ? value['args'] : undefined;
}

/** A call of a tool without what it reports such a file; the same object if it says nothing. */
function callWithout(call: JsonObject, input: JsonValue): JsonObject {
  if (secretFileIn(input) === undefined)
    return (isSearch(input) ? withoutSecretMatches : withoutNamed)(call) as JsonObject;
  return (
    withOtherFilesKept(call, call['type'] === 'dynamic-tool' ? 'input' : 'args') ?? (metadataOnly(call) as JsonObject)
  );
}

/** Under what an object shows the file that it names: attachments and results of agents do. */
const SHOWN = new Set(['content', 'snippet', 'url', 'response', 'description']);

/** An object that shows such a file without what it shows; the same object if it is none. */
function withoutShown(value: JsonObject): JsonObject {
  if (!isAbout(value)) return value;
  return mapObject(value, (item, key) => (SHOWN.has(key) ? metadataOnly(item, key) : item));
}

/** Keys for the agent's own form of its words in a record: lines that are kept as they are, and the remains of others. */
const FOREIGN = new Set(['data', 'metadata', 'lines']);

/** Names of such tools, if only a result of theirs is informed. */
const SEARCHES = /grep|search|read_many/;

/** A value in which every tool call about such a file has lost its texts; the same object if there is none. */
export function withoutSecretFiles(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutSelections(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return mapList(withoutSecretOutputs(value), withoutSecretFiles);
  return objectWithout(value as JsonObject);
}

/** The record of a command that is a patch of such a file, without that; the same record where it is none. */
const commandWithout = (record: JsonObject, command: string): JsonObject =>
  secretFileIn(command, 'command') === undefined ? record : { ...record, command: withoutPatched(command) };

function objectWithout(given: JsonObject): JsonObject {
  const { kind, command } = given;
  // Nearly no command is a patch: most hooks need not load what reads one.
  const mayPatch = kind === 'command' && typeof command === 'string' && command.includes('*** ');
  const value = mayPatch ? commandWithout(given, command) : given;
  const input = inputOf(value);
  if (input !== undefined) return callWithout(value, input);
  const { name, response } = value;
  const isFound = typeof name === 'string' && isObject(response) && SEARCHES.test(name);
  const change = isFound ? withoutSecretMatches : withoutSecretFiles;
  return mapObject(withoutShown(value), (item, key) => {
    const known = change(item);
    return FOREIGN.has(key) ? withoutNamed(known) : known;
  });
}
