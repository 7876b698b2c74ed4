/** Writes a chat of Gemini CLI: calls and their results as parts of contents, since it sends what is in `toolCalls` twice. */
import { createHash } from 'node:crypto';
import { Times } from '../../core/exchange/ids.ts';
import { base64Of, type SpokenFile } from '../../core/exchange/output.ts';
import type { SpokenCall, SpokenMessage, SpokenPart } from '../../core/exchange/spoken.ts';
import { type JsonObject, type JsonValue, numberOf, objectOf, parseJson, textOf } from '../../core/json.ts';
import type { TranscriptDraft, TranscriptTarget, TranscriptWriter } from '../contract/transcript-writer.ts';
import { GUARD, isGuarded, needsGuard } from './guard.ts';

/** Returns the element of a file; null if its bytes are elsewhere. */
function fileElement({ mediaType, url }: SpokenFile): JsonObject | null {
  const data = base64Of(url);
  return data === undefined ? null : { inlineData: { mimeType: mediaType, data } };
}

/** Returns whether a text is written with the guard. */
type Guards = (text: string) => boolean;

function elementOf(part: SpokenPart, guards: Guards): JsonValue[] {
  switch (part.type) {
    case 'text':
      return [{ text: guards(part.text) ? GUARD + part.text : part.text }];
    case 'file':
      return [fileElement(part) ?? { text: `[${part.mediaType}: left out]` }];
    case 'call':
      return [{ functionCall: { id: part.id, name: part.name, args: part.input } }];
    case 'data':
      return part.own['type'] === 'data-unknown' ? [part.own['data'] ?? null] : [];
    case 'reasoning':
      return [];
  }
}

/** Returns the elements of a result: the response, and pictures beside it. */
function resultElements({ id, name, output }: SpokenCall): JsonValue[] {
  const response = output.failed ? { error: output.text } : { output: output.text };
  return [{ functionResponse: { id, name, response } }, ...output.files.map(fileElement).filter((one) => one !== null)];
}

/** Returns a thought as Gemini CLI keeps it. */
function thoughtOf({ text, own }: SpokenPart & { type: 'reasoning' }): JsonObject {
  const [, subject, description] = /^\*\*([^*\n]+)\*\*(?:\n\n([\s\S]*))?$/.exec(text) ?? [];
  const thought = subject === undefined ? { description: text } : { subject, description: description ?? '' };
  const { type: _type, text: _text, ...others } = own;
  return { ...others, ...thought };
}

function tokensOf({ metadata }: SpokenMessage): JsonObject | undefined {
  const usage = objectOf(metadata['usage']);
  if (!usage) return undefined;
  const count = (key: string): number => numberOf(usage[key]) ?? 0;
  const [input, output] = [count('input') + count('cache_read'), count('output') - count('reasoning')];
  const counts = { input, output, cached: count('cache_read'), thoughts: count('reasoning'), tool: 0 };
  return { ...counts, total: input + output + count('reasoning') };
}

/** Writes the records of one chat. */
class Chat {
  readonly records: JsonObject[] = [];
  readonly #draft: TranscriptDraft;
  readonly #times = new Times(false);
  readonly #ids = new Set<string>();

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  #add(id: string, at: number, fields: JsonObject): void {
    let own = id;
    while (this.#ids.has(own)) own += '+';
    this.#ids.add(own);
    this.records.push({ id: own, timestamp: this.#times.iso(at), ...fields });
  }

  message(message: SpokenMessage): void {
    const { isOwn } = this.#draft;
    const isAgents = message.role === 'assistant' && !message.isSummary;
    // The program's own texts stay what it drops.
    const isPrograms = isOwn && message.metadata['is_meta'] === true;
    const guards: Guards = isAgents ? () => false : isPrograms ? isGuarded : needsGuard;
    const content = message.parts.flatMap((part) => elementOf(part, guards));
    if (!isAgents) {
      this.#add(message.id, message.at, { type: 'user', content });
      return;
    }
    const thoughts = message.parts.flatMap((part) => (part.type === 'reasoning' ? [thoughtOf(part)] : []));
    const tokens = isOwn ? tokensOf(message) : undefined;
    const model = textOf(message.metadata['model']);
    const extra = { ...(thoughts.length > 0 && { thoughts }), ...(tokens && { tokens }), ...(model && { model }) };
    this.#add(message.id, message.at, { type: 'gemini', content, ...extra });
    this.#results(message);
  }

  #results({ id, at, parts }: SpokenMessage): void {
    const calls = parts.filter((part) => part.type === 'call');
    if (calls.length === 0) return;
    const ends = calls.map(({ own }) => numberOf(own['completed_at']) ?? 0);
    const displays = calls.flatMap(({ id: call, own }) =>
      this.#draft.isOwn && own['result'] !== undefined ? [[call, own['result']] as const] : [],
    );
    const beside = displays.length > 0 ? { displays: Object.fromEntries(displays) } : {};
    this.#add(`${id}/results`, Math.max(at, ...ends), {
      type: 'user',
      content: calls.flatMap(resultElements),
      ...beside,
    });
  }
}

function records(draft: TranscriptDraft): JsonObject[] {
  const { session, cwd, at, title, messages } = draft;
  const chat = new Chat(draft);
  for (const message of messages) chat.message(message);
  const projectHash = createHash('sha256').update(cwd).digest('hex');
  const [startTime, lastUpdated] = [messages[0]?.at || at, at].map((time) => new Date(time * 1000).toISOString());
  const header = { sessionId: session, projectHash, startTime, lastUpdated, kind: 'main', summary: title };
  return [header, ...chat.records];
}

/** Returns the folder of a project: the one that Gemini CLI has chosen, else the one that it would choose. */
function folderOf({ home, cwd, read }: TranscriptTarget): string {
  const known = objectOf(objectOf(parsed(read(`${home}/projects.json`)))?.['projects']);
  const own = textOf(known?.[cwd]);
  if (own !== undefined && !/[/\\]|^\.+$/.test(own)) return own;
  const taken = new Set(Object.values(known ?? {}));
  const base = slugOf(cwd);
  const isOthers = (name: string): boolean => {
    const root = read(`${home}/tmp/${name}/.project_root`)?.trim();
    return taken.has(name) || (root !== undefined && root !== cwd);
  };
  for (let nth = 0; ; nth += 1) {
    const name = nth === 0 ? base : `${base}-${nth}`;
    if (!isOthers(name)) return name;
  }
}

const slugOf = (cwd: string): string =>
  (cwd.split('/').at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'project';

function parsed(text: string | null): JsonValue {
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return null;
  }
}

/** The end of the name is not the beginning of the id: Gemini CLI deletes files of one end together. */
function place(target: TranscriptTarget): string {
  const { home, at, session } = target;
  const time = new Date(at * 1000).toISOString().slice(0, 16).replace(':', '-');
  return `${home}/tmp/${folderOf(target)}/chats/session-${time}-ctx${session.slice(-9).replaceAll('-', '')}.jsonl`;
}

export const geminiWriter: TranscriptWriter = { idOf: (uuid) => uuid, records, place };
