/** Writes a rollout of Codex: response items for the model, and events for the people who look at it. */
import { Times } from '../../core/exchange/ids.ts';
import type { SpokenFile } from '../../core/exchange/output.ts';
import type { SpokenCall, SpokenMessage, SpokenPart } from '../../core/exchange/spoken.ts';
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { TranscriptDraft, TranscriptTarget, TranscriptWriter } from '../contract/transcript-writer.ts';
import { without } from '../shared/blocks.ts';
import { readToml } from './review.ts';

/** The version in the first line: one that knows all that is written. */
const VERSION = '0.171.0';

/** Calls that the server answers itself, by the name of the tool. */
const OF_THE_SERVER: Readonly<Record<string, { type: string; input: string; output: string }>> = {
  web_search: { type: 'web_search_call', input: 'action', output: 'results' },
  image_generation: { type: 'image_generation_call', input: 'revised_prompt', output: 'result' },
};

const isPicture = ({ mediaType, url }: SpokenFile): boolean =>
  mediaType.startsWith('image/') && url.startsWith('data:');

const wordsOf = ({ parts }: SpokenMessage): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');

/** Returns a part as an element of the content of a message; null if it is none. */
function elementOf(part: SpokenPart, type: 'input_text' | 'output_text', isOwn: boolean): JsonObject | null {
  if (part.type === 'text') return { ...(isOwn ? without(part.own, 'type', 'text') : {}), type, text: part.text };
  if (part.type !== 'file') return null;
  if (type === 'input_text' && isPicture(part)) return { type: 'input_image', image_url: part.url };
  return { type, text: `[${part.mediaType}: left out]` };
}

/** Returns the output of a result: as it was in a rollout, if Codex still takes that. */
function outputOf({ output, own }: SpokenCall, isOwn: boolean): JsonValue {
  const given = own['output'];
  if (isOwn && !output.isMissing && !output.failed && Array.isArray(given) && given.every(isElement)) return given;
  const files = output.files.filter(isPicture).map(({ url }): JsonObject => ({ type: 'input_image', image_url: url }));
  if (files.length === 0) return output.text;
  return [...(output.text === '' ? [] : [{ type: 'input_text', text: output.text }]), ...files];
}

const isElement = (value: JsonValue): boolean => /^input_(?:text|image)$/.test(textOf(objectOf(value)?.['type']) ?? '');

/** Writes the lines of one rollout. */
class Rollout {
  readonly lines: JsonObject[] = [];
  readonly #draft: TranscriptDraft;
  readonly #times = new Times(false);
  #model: string | undefined;

  constructor(draft: TranscriptDraft) {
    this.#draft = draft;
  }

  #line(at: number, type: string, payload: JsonObject, message?: SpokenMessage): void {
    const timestamp = this.#times.iso(at);
    // Codex passes over this key, and a reader of ctx finds the limits of messages by it.
    this.lines.push({ timestamp, type, payload, ...(message && { ctx_message: message.id }) });
  }

  begin(): void {
    const { session, cwd, messages, at, provider } = this.#draft;
    const first = messages[0]?.at ?? at;
    const timestamp = this.#times.iso(first);
    const model_provider = provider === null ? {} : { model_provider: provider };
    const about = { originator: 'codex_cli_rs', cli_version: VERSION, source: 'cli', ...model_provider };
    this.lines.push({ timestamp, type: 'session_meta', payload: { id: session, timestamp, cwd, ...about } });
  }

  message(message: SpokenMessage): void {
    if (message.isSummary) this.#summary(message);
    else if (message.role === 'assistant') this.#assistant(message);
    else this.#spoken(message);
  }

  #summary(message: SpokenMessage): void {
    const content = this.#elements(message);
    // Codex itself keeps some of the history encrypted.
    const data = message.parts.map((part) => (part.type === 'data' ? objectOf(part.own['data']) : undefined));
    const kept = data.filter((one) => one !== undefined);
    const replacement_history = [...(content.length > 0 ? [{ type: 'message', role: 'user', content }] : []), ...kept];
    this.#line(message.at, 'compacted', { message: '', replacement_history }, message);
  }

  #elements({ parts }: SpokenMessage): JsonObject[] {
    return parts.map((part) => elementOf(part, 'input_text', this.#draft.isOwn)).filter((one) => one !== null);
  }

  #spoken(message: SpokenMessage): void {
    const role = message.role === 'system' ? 'developer' : 'user';
    this.#line(message.at, 'response_item', { type: 'message', role, content: this.#elements(message) }, message);
    if (role !== 'user' || message.metadata['is_meta'] === true) return;
    const images = message.parts.flatMap((part) => (part.type === 'file' && isPicture(part) ? [part.url] : []));
    const seen = { images, local_images: [], text_elements: [] };
    this.#line(message.at, 'event_msg', { type: 'user_message', message: wordsOf(message), ...seen });
  }

  #assistant(message: SpokenMessage): void {
    const { isOwn, cwd } = this.#draft;
    const model = isOwn ? textOf(message.metadata['model']) : undefined;
    if (model !== undefined && model !== this.#model) this.#line(message.at, 'turn_context', { cwd, model });
    this.#model = model ?? this.#model;
    for (const part of message.parts) this.#made(message, part);
    for (const part of message.parts) if (part.type === 'call' && !this.#isOfServer(part)) this.#result(message, part);
  }

  #isOfServer({ name, output }: SpokenCall): boolean {
    return this.#draft.isOwn && Object.hasOwn(OF_THE_SERVER, name) && !output.isMissing;
  }

  #made(message: SpokenMessage, part: SpokenPart): void {
    const { at } = message;
    const item = (payload: JsonObject): void => this.#line(at, 'response_item', payload, message);
    if (part.type === 'call') {
      const { name, id, input, own } = part;
      const server = this.#isOfServer(part) ? OF_THE_SERVER[name] : undefined;
      const given = own['input'] ?? null;
      if (server)
        item({
          type: server.type,
          call_id: id,
          status: 'completed',
          [server.input]: given,
          [server.output]: own['output'],
        });
      else if (this.#isCustom(part)) item({ type: 'custom_tool_call', name, call_id: id, input: given });
      else item({ type: 'function_call', name, call_id: id, arguments: JSON.stringify(input) });
    } else if (part.type === 'reasoning') {
      const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
      const encrypted = part.own['encrypted_content'];
      item({ type: 'reasoning', summary, ...(encrypted !== undefined && { encrypted_content: encrypted }) });
    } else if (part.type === 'data') {
      const data = objectOf(part.own['data']);
      if (data) item({ type: 'message', role: 'assistant', content: [data] });
    } else {
      const element = elementOf(part, 'output_text', this.#draft.isOwn);
      if (!element) return;
      item({ type: 'message', role: 'assistant', content: [element] });
      this.#line(at, 'event_msg', { type: 'agent_message', message: textOf(element['text']) ?? '' });
    }
  }

  #isCustom({ own }: SpokenCall): boolean {
    return this.#draft.isOwn && typeof own['input'] === 'string';
  }

  #result(message: SpokenMessage, call: SpokenCall): void {
    const { id, own } = call;
    const { isOwn } = this.#draft;
    const type = this.#isCustom(call) ? 'custom_tool_call_output' : 'function_call_output';
    const time = typeof own['completed_at'] === 'number' ? Math.max(message.at, own['completed_at']) : message.at;
    this.#line(time, 'response_item', { type, call_id: id, output: outputOf(call, isOwn) });
  }
}

function records(draft: TranscriptDraft): JsonObject[] {
  const rollout = new Rollout(draft);
  rollout.begin();
  for (const message of draft.messages) rollout.message(message);
  return rollout.lines;
}

function place({ home, session, at }: TranscriptTarget): string {
  const time = new Date(at * 1000).toISOString();
  const [day, clock] = [time.slice(0, 10), time.slice(11, 19).replaceAll(':', '-')];
  return `${home}/sessions/${day.replaceAll('-', '/')}/rollout-${day}T${clock}-${session}.jsonl`;
}

/** The provider of Codex if its settings name none. */
const OWN_PROVIDER = 'openai';

/**
 * Returns the provider of the settings, or of the profile that they choose. Once Codex has a list of conversations, it opens none on a terminal that
 * names another one, or none at all.
 */
function providerIn({ home, read }: Pick<TranscriptTarget, 'home' | 'read'>): string {
  const { profile, profiles, model_provider } = settingsIn(read(`${home}/config.toml`) ?? '');
  const chosen = objectOf(objectOf(profiles)?.[textOf(profile) ?? '']);
  return textOf(chosen?.['model_provider']) ?? textOf(model_provider) ?? OWN_PROVIDER;
}

/** Parses settings; none if they are no TOML, which Codex does not start with. */
function settingsIn(text: string): JsonObject {
  try {
    const settings: unknown = readToml(text);
    return isObject(settings) ? settings : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export const codexWriter: TranscriptWriter = {
  mayBeginWithAgent: true,
  keepsSystem: true,
  idOf: (uuid) => uuid,
  records,
  place,
  providerIn,
};
