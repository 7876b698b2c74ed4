/** Describes a file that is known to hold secrets without its texts: its type and other metadata stay. */
import { isObject, type JsonValue } from '../core/json.ts';
import { isPathKey, isSecretPath, isTakenPathKey, isWrittenKey } from './file-references.ts';
import { inJson } from './json-text.ts';
import { mapList, mapObject } from './map-json.ts';
import { withholdFrom } from './withheld-marker.ts';

/** Matches the end of keys for values without content: ids, kinds, times and the like. */
const OWN =
  /(?:^name|^mode|^model|toolName|hookName|displayName|tool_name|sessionUpdate|id|type|kind|role|state|status|version|branch|entrypoint|cwd|path|method|timestamp|jsonrpc|server|tool|^dir|^ts)$/i;
const WORDS = /^[^\n]{1,200}$/;
const LINK = /^(?:https?|file):\/\/\S+$/;
/** Matches keys of values that a provider of a model must be given back as it was. */
const PROVIDER = /providerMetadata$/i;

/** A value without any text but paths and what reports itself. */
export function metadataOnly(value: JsonValue, key = ''): JsonValue {
  if (PROVIDER.test(key)) return value;
  if (typeof value === 'string') return isKept(value, key) ? value : emptiedText(value, key);
  if (Array.isArray(value)) return mapList(value, (item) => metadataOnly(item, key));
  return isObject(value) ? mapObject(value, metadataOnly) : value;
}

/** Returns whether a text stays where an object is about such a file. */
function isKept(text: string, key: string): boolean {
  if (isPathKey(key)) return !text.includes('\n');
  if (isTakenPathKey(key) && isSecretPath(text)) return !/[\s=]/.test(text);
  return key === 'url' ? LINK.test(text) : OWN.test(key) && WORDS.test(text);
}

/** Returns what is at a key without what it says; if agents write JSON there, its paths stay. */
const emptiedText = (text: string, key: string): string =>
  isWrittenKey(key) ? inJson(text, (json) => metadataOnly(json), withholdFrom) : withholdFrom(text);
