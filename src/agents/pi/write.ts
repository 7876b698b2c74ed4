/** Writes a session of pi: one chain of entries, each call with its result behind the message. */
import { derivedId, Times } from '../../core/exchange/ids.ts';
import { base64Of, type SpokenFile } from '../../core/exchange/output.ts';
import { besideCall, type SpokenCall, type SpokenMessage, type SpokenPart } from '../../core/exchange/spoken.ts';
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { TranscriptDraft, TranscriptTarget, TranscriptWriter } from '../contract/transcript-writer.ts';
import { without } from '../shared/blocks.ts';

/** Returns a picture; null if it is none, or its bytes are elsewhere. */
function pictureOf({ mediaType, url }: SpokenFile): JsonObject | null {
  const data = base64Of(url);
  return data === undefined || !mediaType.startsWith('image/') ? null : { type: 'image', data, mimeType: mediaType };
}

function blockOf(part: SpokenPart, isOwn: boolean): JsonValue[] {
  switch (part.type) {
    case 'text':
      return [{ ...(isOwn ? without(part.own, 'type', 'text') : {}), type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'thinking', thinking: part.text, ...without(part.own, 'type', 'text') }];
    case 'file':
      return [pictureOf(part) ?? { type: 'text', text: `[${part.mediaType}: left out]` }];
    case 'call':
      return [
        { ...(isOwn ? besideCall(part) : {}), type: 'toolCall', id: part.id, name: part.name, arguments: part.input },
      ];
    case 'data':
      return objectOf(part.own['data']) ? [part.own['data'] ?? null] : [];
  }
}

/** Returns the usage of a message; zeros if it is unknown, since pi on a terminal adds up all of them. */
function usageOf({ metadata }: SpokenMessage): JsonObject {
  const usage = objectOf(metadata['usage']) ?? {};
  const names = { input: 'input', output: 'output', cache_read: 'cacheRead', cache_write: 'cacheWrite' };
  const counts = Object.entries(names).map(([key, name]): [string, number] => [name, numberOf(usage[key]) ?? 0]);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const reasoning = usage['reasoning'] === undefined ? {} : { reasoning: usage['reasoning'] };
  return { ...Object.fromEntries(counts), ...reasoning, totalTokens: total, cost };
}

const SHELL = 'data-bash-execution';

/** Writes the entries of one session. */
class Session {
  readonly entries: JsonObject[] = [];
  readonly #draft: TranscriptDraft;
  readonly #times = new Times(false);
  #last: string | null = null;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  add(at: number, fields: JsonObject): void {
    const id = derivedId(this.#draft.session, this.entries.length).slice(0, 8 + String(this.entries.length).length);
    const time = this.#times.take(at);
    const message = objectOf(fields['message']);
    const timed = message ? { message: { ...message, timestamp: time } } : {};
    const timestamp = new Date(time).toISOString();
    this.entries.push({ ...fields, ...timed, id, parentId: this.#last, timestamp });
    this.#last = id;
  }

  message(message: SpokenMessage): void {
    if (message.isSummary) this.#summary(message);
    else if (message.role === 'assistant') this.#assistant(message);
    else this.#user(message);
  }

  #summary({ at, parts }: SpokenMessage): void {
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    // Nothing is in front of it that could be kept.
    this.add(at, { type: 'compaction', summary: texts.join('\n\n'), firstKeptEntryId: 'none', tokensBefore: 0 });
  }

  #user({ at, parts, metadata }: SpokenMessage): void {
    const { isOwn } = this.#draft;
    const [only] = parts;
    if (isOwn && only?.type === 'data' && only.own['type'] === SHELL) {
      this.add(at, { type: 'message', message: { role: 'bashExecution', ...objectOf(only.own['data']) } });
      return;
    }
    const content = parts.flatMap((part) => blockOf(part, isOwn));
    const text = parts.length === 1 && only?.type === 'text' ? only.text : undefined;
    if (metadata['is_branch_summary'] === true && text !== undefined)
      this.add(at, { type: 'branch_summary', summary: text, fromId: 'none' });
    else if (isOwn && metadata['is_meta'] === true)
      this.add(at, { type: 'custom_message', customType: 'ctx', content, display: true });
    else this.add(at, { type: 'message', message: { role: 'user', content } });
  }

  #assistant(message: SpokenMessage): void {
    const { isOwn } = this.#draft;
    const { at, parts, metadata } = message;
    const calls = parts.filter((part) => part.type === 'call');
    const stop = isOwn ? textOf(metadata['stop_reason']) : undefined;
    // pi sends nothing of a message that was broken off, but the results of its calls.
    const isBroken = calls.length > 0 && (stop === 'aborted' || stop === 'error');
    const stopReason = (isBroken ? undefined : stop) ?? (calls.length > 0 ? 'toolUse' : 'stop');
    const model = isOwn ? { model: textOf(metadata['model']) } : {};
    const content = parts.flatMap((part) => blockOf(part, isOwn));
    const usage = usageOf(isOwn ? message : { ...message, metadata: {} });
    this.add(at, { type: 'message', message: { role: 'assistant', content, ...model, usage, stopReason } });
    for (const call of calls) this.#result(at, call);
  }

  #result(at: number, { id, name, output, own }: SpokenCall): void {
    const { isOwn } = this.#draft;
    const given = own['output'];
    const isWhole = isOwn && !output.isMissing && Array.isArray(given);
    const texts = output.text === '' ? [] : [{ type: 'text', text: output.text }];
    const content = isWhole ? given : [...texts, ...output.files.map(pictureOf).filter((one) => one !== null)];
    const details = isOwn && own['result'] !== undefined ? { details: own['result'] } : {};
    const result = { toolCallId: id, toolName: name, content, isError: output.failed };
    const time = Math.max(at, numberOf(own['completed_at']) ?? 0);
    this.add(time, { type: 'message', message: { role: 'toolResult', ...result, ...details } });
  }
}

function records(draft: TranscriptDraft): JsonObject[] {
  const { session, cwd, messages, at, title } = draft;
  const written = new Session(draft);
  const first = messages[0]?.at || at;
  written.add(first, { type: 'session_info', name: title });
  for (const message of messages) written.message(message);
  const timestamp = new Date(first * 1000).toISOString();
  return [{ type: 'session', version: 3, id: session, timestamp, cwd }, ...written.entries];
}

function place({ home, cwd, session, at }: TranscriptTarget): string {
  const folder = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
  const time = new Date(at * 1000).toISOString().replace(/[:.]/g, '-');
  return `${home}/sessions/${folder}/${time}_${session}.jsonl`;
}

export const piWriter: TranscriptWriter = { idOf: (uuid) => uuid, records, place };
