/** Writes a session of opencode as the document that `opencode import` takes. */
import { derivedId, Times } from '../../core/exchange/ids.ts';
import type { SpokenCall, SpokenMessage, SpokenPart } from '../../core/exchange/spoken.ts';
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { TranscriptDraft, TranscriptWriter } from '../contract/transcript-writer.ts';
import { without } from '../shared/blocks.ts';

/** The version in a session; any text is taken. */
const VERSION = '1.18.33';

/** The model in messages of the user if the settings of the user name none: the user has to name one at the resume. */
const NO_MODEL = { providerID: 'none', modelID: 'none' };

/** Returns a provider and its model. */
function modelOf(name: string | null): { providerID: string; modelID: string } {
  const at = name?.indexOf('/') ?? -1;
  return name === null || at < 1 ? NO_MODEL : { providerID: name.slice(0, at), modelID: name.slice(at + 1) };
}

/** Writes the messages of one session. */
class Messages {
  readonly all: JsonObject[] = [];
  readonly #draft: TranscriptDraft;
  readonly #times = new Times(true);
  #parts = 0;
  #user: string;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
    this.#user = this.#id('msg', 0);
  }

  /** Returns an id that no other session has, and that sorts by its number. */
  #id(kind: 'msg' | 'prt', number: number): string {
    return `${kind}_${String(number).padStart(8, '0')}${derivedId(this.#draft.session, kind, number).slice(0, 18)}`;
  }

  message(message: SpokenMessage): void {
    if (message.isSummary) this.#mark(message);
    if (message.role === 'assistant' || message.isSummary) this.#assistant(message);
    else this.#said(message);
  }

  #add(info: JsonObject, at: number, parts: readonly JsonObject[]): void {
    const { session } = this.#draft;
    const id = this.#id('msg', this.all.length + 1);
    if (info['role'] === 'user') this.#user = id;
    const created = this.#times.take(at);
    const time = info['role'] === 'user' ? { created } : { created, completed: created };
    const owned = parts.map((part): JsonObject => {
      this.#parts += 1;
      return { ...part, id: this.#id('prt', this.#parts), sessionID: session, messageID: id };
    });
    this.all.push({ info: { ...info, id, sessionID: session, time }, parts: owned });
  }

  #ofUser(): JsonObject {
    return { role: 'user', agent: 'build', model: modelOf(this.#draft.model) };
  }

  /** Adds the message of the user that asks for the summary. */
  #mark({ at }: SpokenMessage): void {
    this.#add(this.#ofUser(), at, [{ type: 'compaction', auto: false }]);
  }

  #said({ at, parts, metadata }: SpokenMessage): void {
    const { isOwn } = this.#draft;
    const isProgram = isOwn && metadata['is_meta'] === true;
    const written = parts.flatMap((part) => this.#partOf(part, at));
    this.#add(this.#ofUser(), at, isProgram ? written.map(synthetic) : written);
  }

  #assistant(message: SpokenMessage): void {
    const { isOwn, cwd } = this.#draft;
    const { at, parts, metadata, isSummary } = message;
    const calls = parts.some(({ type }) => type === 'call');
    const modelID = textOf(metadata['model']) ?? 'unknown';
    const usage = isOwn ? (objectOf(metadata['usage']) ?? {}) : {};
    const count = (key: string): number => numberOf(usage[key]) ?? 0;
    const cache = { read: count('cache_read'), write: count('cache_write') };
    const [output, reasoning] = [count('output') - count('reasoning'), count('reasoning')];
    const info = {
      role: 'assistant',
      parentID: this.#user,
      modelID,
      providerID: (isOwn ? textOf(metadata['provider']) : undefined) ?? 'another-agent',
      mode: 'build',
      agent: 'build',
      path: { cwd, root: cwd },
      cost: 0,
      tokens: { input: count('input'), output: Math.max(0, output), reasoning, cache },
      finish: calls ? 'tool-calls' : 'stop',
      ...(isSummary && { summary: true }),
    };
    const written = parts.flatMap((part) => this.#partOf(part, at));
    const hasStep = isOwn && parts.some(({ own }) => own['type'] === 'data-step-start');
    this.#add(info, at, hasStep ? written : [{ type: 'step-start' }, ...written]);
  }

  #partOf(part: SpokenPart, at: number): JsonObject[] {
    const { isOwn } = this.#draft;
    const own = isOwn ? without(part.own, 'type', 'id', 'text') : {};
    switch (part.type) {
      case 'text':
        return [{ ...own, type: 'text', text: part.text }];
      case 'reasoning':
        return [{ time: { start: at * 1000 }, ...own, type: 'reasoning', text: part.text }];
      case 'file': {
        const { mediaType, url, filename } = part;
        return [{ type: 'file', mime: mediaType, url, ...(filename !== undefined && { filename }) }];
      }
      case 'call':
        return [this.#toolOf(part, at)];
      case 'data':
        return [{ ...objectOf(part.own['data']), type: String(part.own['type']).replace(/^data-/, '') }];
    }
  }

  #toolOf({ id, name, input, output, own }: SpokenCall, at: number): JsonObject {
    const start = at * 1000;
    const end = Math.max(start, (numberOf(own['completed_at']) ?? 0) * 1000);
    const { isOwn } = this.#draft;
    const time = (isOwn ? objectOf(own['time']) : undefined) ?? { start, end };
    const metadata: JsonValue = (isOwn ? objectOf(own['result']) : undefined) ?? {};
    const part = { type: 'tool', callID: id, tool: name };
    if (output.failed) return { ...part, state: { status: 'error', input, error: output.text, metadata, time } };
    const attachments = output.files.map(({ mediaType, url }): JsonObject => {
      this.#parts += 1;
      const place = { sessionID: this.#draft.session, messageID: this.#id('msg', this.all.length + 1) };
      return { id: this.#id('prt', this.#parts), ...place, type: 'file', mime: mediaType, url };
    });
    const title = (isOwn ? textOf(own['title']) : undefined) ?? name;
    const files = attachments.length > 0 ? { attachments } : {};
    return { ...part, state: { status: 'completed', input, output: output.text, title, metadata, time, ...files } };
  }
}

const synthetic = (part: JsonObject): JsonObject => (part['type'] === 'text' ? { ...part, synthetic: true } : part);

function records(draft: TranscriptDraft): JsonObject[] {
  const { session, cwd, at, title, messages } = draft;
  const written = new Messages(draft);
  for (const message of messages) written.message(message);
  const created = (messages[0]?.at || at) * 1000;
  const slug = `ctx-${session.slice(4, 12)}`;
  const about = { id: session, slug, projectID: 'global', directory: cwd, title, version: VERSION };
  return [{ info: { ...about, time: { created, updated: at * 1000 } }, messages: written.all }];
}

export const opencodeWriter: TranscriptWriter = {
  idOf: (uuid) => `ses_${uuid.replaceAll('-', '').slice(0, 26)}`,
  records,
  takeIn: (file) => ['import', file],
  modelFiles: ['opencode.json', 'opencode.jsonc', 'config.json'],
};
