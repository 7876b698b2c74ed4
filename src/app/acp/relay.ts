/** Relays what client and agent of the Agent Client Protocol send each other, line by line, and answers what the agent cannot. */
import { isObject, type JsonObject, type JsonValue, objectOf, parseJson, textOf } from '../../core/json.ts';
import type { Direction } from './recorder.ts';

const LINE_FEED = 0x0a;
/** A longer line is passed on before it is complete: nothing in it is answered here. */
const HELD_LIMIT = 16 * 1024 * 1024;

/** A line with its line feed; a part of one if it is very long. */
interface Piece {
  bytes: Buffer;
  isWhole: boolean;
}

/** Result of routing a line: the bytes that the other side gets, and those that are recorded. */
interface Routed {
  passed: readonly Buffer[];
  seen: readonly Buffer[];
}

/** Cuts a stream into lines without changing a byte. */
export class Lines {
  #held: Buffer[] = [];
  #size = 0;
  #isLong = false;

  /** Returns the complete lines, with their line feeds; of a very long line, the bytes that are there. */
  push(chunk: Buffer): Piece[] {
    const lines: Piece[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      lines.push({ bytes: this.#take(chunk.subarray(from, end + 1)), isWhole: !this.#isLong });
      this.#isLong = false;
      from = end + 1;
    }
    if (from < chunk.length) {
      this.#held.push(chunk.subarray(from));
      this.#size += chunk.length - from;
    }
    if (this.#size > HELD_LIMIT) {
      lines.push({ bytes: this.#take(), isWhole: false });
      this.#isLong = true;
    }
    return lines;
  }

  /** Returns what is left at the end; null if nothing is. */
  end(): Buffer | null {
    return this.#size === 0 ? null : this.#take();
  }

  #take(last?: Buffer): Buffer {
    const pieces = last ? [...this.#held, last] : this.#held;
    this.#held = [];
    this.#size = 0;
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }
}

/** Data that is needed to load a session: the updates for its client, and the context for its agent. */
export interface StoredSession {
  /** The updates that repeat the conversation, in order. */
  updates: JsonObject[];
  /** Context that the agent gets with the first prompt, since it does not know the conversation. */
  context: string;
}

export interface RelayOptions {
  toClient: (bytes: Buffer) => void;
  toAgent: (bytes: Buffer) => void;
  /** Takes a line as the client has it. */
  tap: (direction: Direction, line: Buffer) => void;
  /** Looks up a session; null if the store does not have it. */
  stored: (sessionId: string) => StoredSession | null;
  /** True if the client is offered to load sessions, although the agent cannot. */
  offersLoad: boolean;
}

/** A session that was loaded from the store: the agent has it under an id of its own. */
interface Loaded {
  client: string;
  agent: string;
  /** Null once the agent got it. */
  context: string | null;
}

/** A request of ours to the agent, for a session in the place of a loaded one. */
interface Asked {
  /** The request of the client. */
  id: JsonValue;
  client: string;
  session: StoredSession;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #fromClient = new Lines();
  readonly #fromAgent = new Lines();
  /** The ids of the client's `initialize` requests that wait. */
  readonly #initializing = new Set<string>();
  readonly #asked = new Map<string, Asked>();
  readonly #loaded: Loaded[] = [];
  #loadsItself: boolean | null = null;
  #number = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  client(chunk: Buffer): void {
    const routed = (line: Buffer): Routed => ({ passed: [this.#lineOfClient(line)], seen: [line] });
    this.#pass(this.#fromClient.push(chunk), routed, this.#options.toAgent, 'client->agent');
  }

  agent(chunk: Buffer): void {
    const routed = (line: Buffer): Routed => {
      const lines = this.#linesOfAgent(line);
      return { passed: lines, seen: lines };
    };
    this.#pass(this.#fromAgent.push(chunk), routed, this.#options.toClient, 'agent->client');
  }

  /** Passes on what the client has sent without a line feed. */
  endClient(): void {
    const rest = this.#fromClient.end();
    if (rest) this.#options.toAgent(rest);
  }

  endAgent(): void {
    const rest = this.#fromAgent.end();
    if (rest) this.#options.toClient(rest);
  }

  #pass(
    lines: readonly Piece[],
    route: (line: Buffer) => Routed,
    out: (bytes: Buffer) => void,
    direction: Direction,
  ): void {
    const passed: Buffer[] = [];
    const seen: Buffer[] = [];
    for (const { bytes, isWhole } of lines) {
      const routed = isWhole ? route(bytes) : { passed: [bytes], seen: [] };
      passed.push(...routed.passed);
      seen.push(...routed.seen);
    }
    // Passing lines on never waits for recording them.
    if (passed.length > 0) out(passed.length === 1 ? (passed[0] as Buffer) : Buffer.concat(passed));
    for (const line of seen) this.#options.tap(direction, line);
  }

  #lineOfClient(line: Buffer): Buffer {
    if (this.#loadsItself === null && line.includes('"initialize"')) {
      const message = messageOf(line);
      if (message?.['method'] === 'initialize') this.#initializing.add(JSON.stringify(message['id']));
    }
    const replacement =
      this.#loadsItself === false && line.includes('"session/load"') ? this.#replacement(messageOf(line)) : null;
    return replacement ?? (this.#loaded.length === 0 ? line : this.#forAgent(line));
  }

  /**
   * Returns the request for a session in the place of one that the client wants to load; null if the agent is to answer, since the
   * store does not have it.
   */
  #replacement(message: JsonObject | null): Buffer | null {
    const params = objectOf(message?.['params']);
    const client = textOf(params?.['sessionId']);
    if (message?.['method'] !== 'session/load' || message['id'] === undefined || client === undefined) return null;
    const session = this.#options.stored(client);
    if (session === null) return null;
    this.#number += 1;
    const id = `ctx-load-${this.#number}`;
    this.#asked.set(id, { id: message['id'], client, session });
    const { sessionId: _, ...place } = params as JsonObject;
    return lineOf({ jsonrpc: '2.0', id, method: 'session/new', params: place });
  }

  /** Returns a client's line with the agent's own id of a loaded session. */
  #forAgent(line: Buffer): Buffer {
    const loaded = this.#loaded.find(({ client }) => line.includes(client));
    const message = loaded ? messageOf(line) : null;
    const params = objectOf(message?.['params']);
    if (!loaded || !message || !params || params['sessionId'] !== loaded.client) return line;
    const next: JsonObject = { ...params, sessionId: loaded.agent };
    if (message['method'] === 'session/prompt' && loaded.context !== null) {
      const given = Array.isArray(params['prompt']) ? params['prompt'] : [];
      next['prompt'] = [{ type: 'text', text: loaded.context }, ...given];
      loaded.context = null;
    }
    return lineOf({ ...message, params: next });
  }

  #linesOfAgent(line: Buffer): Buffer[] {
    if (this.#initializing.size > 0) {
      const offered = this.#initialized(line);
      if (offered) return [offered];
    }
    const repeated = this.#asked.size > 0 && line.includes('"ctx-load-') ? this.#repeated(messageOf(line)) : null;
    if (repeated) return repeated;
    const loaded = this.#loaded.find(({ agent }) => line.includes(agent));
    const message = loaded ? messageOf(line) : null;
    const params = objectOf(message?.['params']);
    if (!loaded || !message || !params || params['sessionId'] !== loaded.agent) return [line];
    return [lineOf({ ...message, params: { ...params, sessionId: loaded.client } })];
  }

  /** Reads the answer to `initialize`; returns the line for the client if it is another one. */
  #initialized(line: Buffer): Buffer | null {
    const message = messageOf(line);
    const result = objectOf(message?.['result']);
    if (!message || !this.#initializing.delete(JSON.stringify(message['id'])) || !result) return null;
    const abilities = objectOf(result['agentCapabilities']) ?? {};
    this.#loadsItself = abilities['loadSession'] === true;
    if (this.#loadsItself || !this.#options.offersLoad) return null;
    return lineOf({ ...message, result: { ...result, agentCapabilities: { ...abilities, loadSession: true } } });
  }

  /** Returns the conversation of a loaded session, and the answer to the client, once the agent has its session; null if it is none. */
  #repeated(answer: JsonObject | null): Buffer[] | null {
    const asked = this.#asked.get(String(answer?.['id']));
    if (!answer || !asked || answer['method'] !== undefined) return null;
    this.#asked.delete(String(answer['id']));
    const { id, client, session } = asked;
    const result = objectOf(answer['result']);
    const agent = textOf(result?.['sessionId']);
    if (!result || agent === undefined) {
      const error = answer['error'] ?? { code: -32603, message: 'The agent began no session.' };
      return [lineOf({ jsonrpc: '2.0', id, error })];
    }
    this.#loaded.push({ client, agent, context: session.context });
    const { sessionId: _, ...rest } = result;
    return [
      ...session.updates.map((update) =>
        lineOf({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: client, update } }),
      ),
      lineOf({ jsonrpc: '2.0', id, result: rest }),
    ];
  }
}

const lineOf = (message: JsonObject): Buffer => Buffer.from(`${JSON.stringify(message)}\n`);

function messageOf(line: Buffer): JsonObject | null {
  try {
    const message = parseJson(line.toString('utf8'));
    return isObject(message) ? message : null;
  } catch {
    return null;
  }
}
