/** The result of a call as every provider takes it: a text, with the pictures and files that came with it. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../json.ts';
import type { Part } from '../message.ts';

/** A picture or a document. */
export interface SpokenFile {
  mediaType: string;
  url: string;
  filename?: string | undefined;
}

/** Output that came back of a call. */
export interface Output {
  text: string;
  files: SpokenFile[];
  failed: boolean;
  /** True if no result was ever recorded: a provider takes no call without one. */
  isMissing: boolean;
}

/** The text of a result that was never recorded, as readers of transcripts close a call. */
const MISSING = 'no result recorded';

/** Returns what came back of a call. */
export function outputOf(part: Part): Output {
  const fields = part as unknown as JsonObject;
  const failed = fields['state'] === 'output-error';
  const isOpen = fields['state'] === 'input-available' || fields['state'] === 'input-streaming';
  if (isOpen || (failed && fields['errorText'] === MISSING))
    return { text: MISSING, files: [], failed: true, isMissing: true };
  const read = contentOf(fields['output'] ?? null);
  const text = failed ? (textOf(fields['errorText']) ?? read.text) : read.text;
  if (text === MISSING) return { text, files: [], failed: true, isMissing: true };
  return { text, files: read.files, failed, isMissing: false };
}

interface Content {
  text: string;
  files: SpokenFile[];
}

const json = (value: JsonValue): string => JSON.stringify(value) ?? '';

/** Returns the texts and the files in the content of a result, in the form of any agent. */
function contentOf(value: JsonValue): Content {
  if (value === null) return { text: '', files: [] };
  if (typeof value === 'string') return { text: value, files: [] };
  if (Array.isArray(value)) return joined(value.map(blockOf));
  if (!isObject(value)) return { text: json(value), files: [] };
  if (Array.isArray(value['content']) || typeof value['content'] === 'string')
    return contentOf(value['content'] as JsonValue);
  return { text: json(value), files: [] };
}

function joined(contents: readonly Content[]): Content {
  const texts = contents.filter(({ text, files }) => text !== '' || files.length === 0).map(({ text }) => text);
  return { text: texts.join('\n'), files: contents.flatMap(({ files }) => files) };
}

const TEXTS: readonly unknown[] = ['text', 'input_text', 'output_text', undefined];

/** Returns one block of a result. */
function blockOf(block: JsonValue): Content {
  if (typeof block === 'string') return { text: block, files: [] };
  if (!isObject(block)) return { text: json(block), files: [] };
  // The Agent Client Protocol puts each of its blocks into another.
  if (block['type'] === 'content' && isObject(block['content'])) return blockOf(block['content']);
  const text = textOf(block['text']);
  if (text !== undefined && TEXTS.includes(block['type'])) return { text, files: [] };
  const response = objectOf(objectOf(block['functionResponse'])?.['response']);
  const said = textOf(response?.['output']) ?? textOf(response?.['error']);
  if (said !== undefined) return { text: said, files: [] };
  const file = fileOf(block);
  return file ? { text: '', files: [file] } : { text: json(block), files: [] };
}

/** Returns the picture in a block, in the form of any agent; null if there is none. */
function fileOf(block: JsonObject): SpokenFile | null {
  const source = objectOf(block['source']) ?? objectOf(block['inlineData']) ?? block;
  const data = textOf(source['data']);
  const mediaType = textOf(source['media_type']) ?? textOf(source['mimeType']) ?? textOf(block['mime']);
  if (data !== undefined && mediaType !== undefined) return { mediaType, url: `data:${mediaType};base64,${data}` };
  const url = textOf(block['image_url']) ?? textOf(objectOf(block['image_url'])?.['url']) ?? textOf(source['url']);
  if (url === undefined) return null;
  return { mediaType: mediaType ?? /^data:([\w.+-]+\/[\w.+-]+)[;,]/.exec(url)?.[1] ?? 'image/*', url };
}

/** Returns the bytes of a data URL, as base64; undefined if the address is another one. */
export const base64Of = (url: string): string | undefined => /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
