/** Writes a transcript of Claude Code: one straight chain of records, each call with its result behind the message. */
import { derivedUuid, isUuid, Times } from '../../core/exchange/ids.ts';
import { base64Of, type SpokenFile } from '../../core/exchange/output.ts';
import { besideCall, type SpokenCall, type SpokenMessage, type SpokenPart } from '../../core/exchange/spoken.ts';
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { TranscriptDraft, TranscriptTarget, TranscriptWriter } from '../contract/transcript-writer.ts';
import { without } from '../shared/blocks.ts';

/** The version in records: one that knows all that is written. */
const VERSION = '2.1.330';

/** Longest name of a folder that is not cut. */
const LONGEST = 200;

/** Returns the name of the folder with the transcripts of a folder, as Claude Code makes it. */
function folderOf(cwd: string): string {
  const plain = cwd.replace(/[^A-Za-z0-9]/g, '-');
  if (plain.length <= LONGEST) return plain;
  let hash = 0;
  for (let index = 0; index < cwd.length; index += 1) hash = (Math.imul(hash, 31) + cwd.charCodeAt(index)) | 0;
  return `${plain.slice(0, LONGEST)}-${Math.abs(hash).toString(36)}`;
}

/** Pictures that the provider takes. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

/** Returns the block of a picture or a document; null if the provider takes none of its type. */
function fileBlock({ mediaType, url, filename }: SpokenFile): JsonObject | null {
  const data = base64Of(url);
  const type = PICTURES.test(mediaType) ? 'image' : mediaType === 'application/pdf' ? 'document' : null;
  if (type !== null && data !== undefined) {
    const title = type === 'document' && filename !== undefined ? { title: filename } : {};
    return { type, source: { type: 'base64', media_type: mediaType, data }, ...title };
  }
  return /^https?:/.test(url) && mediaType.startsWith('image/')
    ? { type: 'image', source: { type: 'url', url } }
    : null;
}

function blockOf(part: SpokenPart, isOwn: boolean): JsonValue[] {
  switch (part.type) {
    case 'text':
      return [{ ...(isOwn ? without(part.own, 'type', 'text') : {}), type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'thinking', thinking: part.text, ...without(part.own, 'type', 'text') }];
    case 'file':
      return [fileBlock(part) ?? { type: 'text', text: `[${part.mediaType}: left out]` }];
    case 'call':
      return [
        { ...(isOwn ? besideCall(part) : {}), type: 'tool_use', id: part.id, name: part.name, input: part.input },
      ];
    case 'data':
      return [part.own['data'] ?? null].filter((data) => objectOf(data) !== undefined);
  }
}

/** Returns the content of a result: as it was in a transcript of Claude Code, else text and pictures. */
function contentOf({ output, own }: SpokenCall, isOwn: boolean): JsonValue {
  const given = own['output'];
  if (isOwn && !output.isMissing && (output.failed ? given !== undefined : isContent(given))) return given ?? '';
  const files = output.failed ? [] : output.files.map(fileBlock).filter((block) => block !== null);
  if (files.length === 0) return output.text;
  return [...(output.text.trim() === '' ? [] : [{ type: 'text', text: output.text }]), ...files];
}

const isContent = (value: JsonValue | undefined): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((block) => objectOf(block) !== undefined));

/** A model that Claude Code would take over as that of the session. */
const KNOWN_MODEL = /claude|opus|sonnet|haiku/i;

/** Returns the model of a message: its own, unless that would override the choice of the user. */
function modelOf({ metadata }: SpokenMessage, isOwn: boolean): string {
  const model = textOf(metadata['model']) ?? '';
  if (isOwn) return model || '<synthetic>';
  return model === '' || KNOWN_MODEL.test(model) ? 'another-agent' : model;
}

function usageOf({ metadata }: SpokenMessage): JsonObject {
  const usage = objectOf(metadata['usage']) ?? {};
  const details = objectOf(metadata['usage_details']) ?? {};
  const named: [string, JsonValue | undefined][] = [
    ['input_tokens', usage['input']],
    ['output_tokens', usage['output']],
    ['cache_read_input_tokens', usage['cache_read']],
    ['cache_creation_input_tokens', usage['cache_write']],
  ];
  return { ...details, ...Object.fromEntries(named.filter(([, count]) => count !== undefined)) };
}

/** Writes the records of one transcript. */
class Chain {
  readonly records: JsonObject[] = [];
  readonly #draft: TranscriptDraft;
  readonly #times: Times;
  readonly #taken = new Set<string>();
  #last: string | null = null;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
    // Its own messages keep their times: those of a tail are before that of the summary.
    this.#times = new Times(!draft.isOwn);
  }

  /** Adds a record behind the last one. @param own the id that it has already */
  add(at: number, fields: JsonObject, own?: string): void {
    const { session, cwd, branch } = this.#draft;
    const isFree = own !== undefined && isUuid(own) && !this.#taken.has(own);
    const uuid = isFree ? own : derivedUuid(session, this.records.length);
    this.#taken.add(uuid);
    this.records.push({
      parentUuid: this.#last,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId: session,
      version: VERSION,
      gitBranch: branch ?? '',
      ...fields,
      uuid,
      timestamp: this.#times.iso(at),
    });
    this.#last = uuid;
  }

  /** @param next the time of the message after it: no result is later */
  message(message: SpokenMessage, next: number): void {
    const { isOwn } = this.#draft;
    if (message.isSummary) this.#boundary(message);
    if (message.role === 'assistant' && !message.isSummary) this.#assistant(message, next, isOwn);
    else this.#user(message, isOwn);
  }

  #boundary({ at, metadata }: SpokenMessage): void {
    const tokens = objectOf(metadata['usage'])?.['input'] ?? 0;
    const compactMetadata = { trigger: 'manual', preTokens: tokens };
    const boundary = { subtype: 'compact_boundary', content: 'Conversation compacted', isMeta: false, level: 'info' };
    this.add(at, { type: 'system', ...boundary, logicalParentUuid: null, compactMetadata });
  }

  #user(message: SpokenMessage, isOwn: boolean): void {
    const blocks = message.parts.flatMap((part) => blockOf(part, isOwn));
    const [only, ...others] = blocks.map((block) => objectOf(block));
    const isText = others.length === 0 && only?.['type'] === 'text' && Object.keys(only).length === 2;
    const content = isText ? (only['text'] ?? '') : blocks;
    const marks = message.isSummary
      ? { isCompactSummary: true, isVisibleInTranscriptOnly: true }
      : message.metadata['is_meta'] === true
        ? { isMeta: true }
        : {};
    this.add(message.at, { type: 'user', message: { role: 'user', content }, ...marks }, message.id);
  }

  #assistant(message: SpokenMessage, next: number, isOwn: boolean): void {
    const { metadata, parts } = message;
    const calls = parts.filter((part) => part.type === 'call');
    const stop = isOwn ? (metadata['stop_reason'] ?? null) : calls.length > 0 ? 'tool_use' : 'end_turn';
    const usage = isOwn ? usageOf(message) : {};
    const content = parts.flatMap((part) => blockOf(part, isOwn));
    this.add(message.at, {
      type: 'assistant',
      message: {
        id: message.id,
        type: 'message',
        role: 'assistant',
        model: modelOf(message, isOwn),
        content,
        stop_reason: stop,
        stop_sequence: null,
        ...(Object.keys(usage).length > 0 && { usage }),
      },
      ...(isOwn && textOf(metadata['request_id']) !== undefined && { requestId: metadata['request_id'] }),
      ...(isOwn && metadata['is_api_error'] === true && { isApiErrorMessage: true }),
    });
    for (const call of calls) this.#result([message.at, next], call, isOwn);
  }

  #result([at, next]: readonly [number, number], call: SpokenCall, isOwn: boolean): void {
    const { id, output, own } = call;
    const result = { type: 'tool_result', tool_use_id: id, content: contentOf(call, isOwn) };
    const content = [output.failed ? { ...result, is_error: true } : result];
    const structured = isOwn && own['result'] !== undefined ? { toolUseResult: own['result'] } : {};
    const time = Math.max(at, Math.min(numberOf(own['completed_at']) ?? at, next));
    this.add(time, { type: 'user', message: { role: 'user', content }, ...structured });
  }
}

function records(draft: TranscriptDraft): JsonObject[] {
  const chain = new Chain(draft);
  const { messages } = draft;
  for (const [index, message] of messages.entries()) chain.message(message, messages[index + 1]?.at ?? Infinity);
  const title = { type: 'custom-title', customTitle: draft.title, sessionId: draft.session };
  return [title, ...chain.records];
}

export const claudeCodeWriter: TranscriptWriter = {
  idOf: (uuid) => uuid,
  records,
  place: ({ home, cwd, session }: TranscriptTarget) => `${home}/projects/${folderOf(cwd)}/${session}.jsonl`,
};
