/** Finds the session of each line of a recording: a client may hold several on one connection. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import { idOf } from '../shared/fields.ts';
import { readLine } from '../shared/lines.ts';
import { acpShape, answered, type Rpc, rpcOf, withPending } from './rpc.ts';

/** The agent's own id of a line's session; null if the line is about all of them, or about none that is known. */
export type Owner = string | null;

/** The sessions of a recording. */
export interface Connection {
  /** The number of sessions that were opened. */
  opened: number;
  /** The sessions with messages, in the order in which they were opened. */
  sessions: string[];
  /** The session of each line, from the first line. */
  owners: Owner[];
}

/** Methods that open a session that exists already. */
const OPENS = ['session/load', 'session/resume', 'session/prompt'];
/** Methods of messages. */
const SAYS = ['session/prompt', 'session/update'];
/** The owner of a session that does not exist yet: its request comes before its id. */
const NOBODY = '';

/** Reads a recording, line by line. */
export class Listener {
  readonly owners: Owner[] = [];
  readonly spoken = new Set<string>();
  readonly opened = new Set<string>();
  #memory: JsonObject = {};
  /** The session of the last line: a line without a session, or with one that nobody has opened, belongs to it. */
  #current: Owner = null;

  take(line: string | null): void {
    const rpcs = line === null ? [] : readLine(line, acpShape).records.flatMap((record) => rpcOf(record) ?? []);
    const owners = rpcs.map((rpc) => (rpc.method === undefined ? this.#answer(rpc) : this.#request(rpc, rpc.method)));
    this.owners.push(owners.find((owner) => owner !== null) ?? (rpcs.length > 0 ? null : this.#current));
  }

  #request(rpc: Rpc, method: string): Owner {
    const owner = this.#ownerOf(rpc, method);
    const fields = { owner, line: this.owners.length };
    this.#memory = { ...this.#memory, ...withPending(this.#memory, rpc, fields) };
    if (owner !== null && SAYS.includes(method)) this.spoken.add(owner);
    return owner;
  }

  #ownerOf({ params }: Rpc, method: string): Owner {
    if (method === 'initialize') return null;
    if (method === 'session/new') return NOBODY;
    const session = idOf(params['sessionId']);
    if (session !== undefined && OPENS.includes(method)) this.opened.add(session);
    if (session !== undefined && this.opened.has(session)) this.#current = session;
    return this.#current;
  }

  #answer(rpc: Rpc): Owner {
    const found = answered(this.#memory, rpc);
    if (!found) return this.#current;
    this.#memory = { ...this.#memory, ...found.memory };
    const { method, owner, line } = found.request;
    if (method !== 'session/new') return textOf(owner) ?? null;
    const session = idOf(objectOf(rpc.message['result'])?.['sessionId']);
    if (session === undefined) return NOBODY;
    this.opened.add(session);
    this.#current = session;
    this.owners[Number(line)] = session;
    return session;
  }
}

/** Reads the sessions of a recording. @param lines null for one that is too long to be read */
export function readConnection(lines: Iterable<string | null>): Connection {
  const listener = new Listener();
  for (const line of lines) listener.take(line);
  const { owners, opened, spoken } = listener;
  return { owners, opened: opened.size, sessions: [...opened].filter((session) => spoken.has(session)) };
}
