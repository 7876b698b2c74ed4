/** Gives the records of what calls did, once each: at the end of a tool in a record of its own, or at the result of the call. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { Call } from '../shared/basic-cursor.ts';
import { idOf } from '../shared/fields.ts';
import type { Outbox } from '../shared/outbox.ts';
import type { Result } from '../shared/parts.ts';
import { commandOf, readCommandResult } from './commands.ts';
import { commandRecord, derive, deriveEnd } from './derive.ts';

/** A command that continued after its call gave a result. */
export interface Running {
  call_id: string;
  session: string;
  command: string;
  /** The end of its output so far. */
  output: string;
}

/** The number of commands that may run at once: an older one is recorded without its end. */
const RUNNING_LIMIT = 8;
/** The length of the output and of the command line that are remembered. */
const OUTPUT_LIMIT = 1024;
const COMMAND_LIMIT = 1024;

/** The sources of a command that the user ran. */
const BY_THE_USER: readonly unknown[] = ['user_shell', 'userShell'];

/** The records of calls in one part of a rollout. */
export class CallRecords {
  readonly #outbox: Outbox;
  /** Calls without a result whose records were given already. */
  readonly #told: Set<string>;
  #running: Running[];

  constructor(outbox: Outbox, told: readonly string[], running: readonly Running[]) {
    this.#outbox = outbox;
    this.#told = new Set(told);
    this.#running = [...running];
  }

  get told(): string[] {
    return [...this.#told];
  }

  get running(): Running[] {
    return this.#running;
  }

  #tell(records: readonly ToolRecord[], callId: string, at: number): void {
    for (const { body, content } of records) this.#outbox.record(at, { ...body, tool_call_id: callId }, content);
  }

  /** Handles the end of a tool. `call` is the call that it belongs to, if that has no result yet. */
  ends(end: JsonObject, callId: string, call: Call | undefined, at: number, cwd: string | undefined): void {
    const running = this.#running.find((each) => each.call_id === callId);
    const isOwn = running !== undefined || (call !== undefined && !this.#told.has(callId));
    if (!isOwn && !BY_THE_USER.includes(end['source'])) return;
    const records = deriveEnd(end, cwd);
    if (records === null) return;
    this.#tell(records, callId, at);
    if (running) this.#running = this.#running.filter((each) => each !== running);
    else if (call) this.#told.add(callId);
  }

  /** Handles the result of a call. */
  returns(call: Call, result: Result, at: number, cwd: string | undefined): void {
    const isTold = this.#told.delete(call.id);
    const input = call.part?.input ?? null;
    if (call.name === 'write_stdin') this.#hears(input, result, at);
    if (isTold) return;
    const command = result.failed ? undefined : commandOf(call.name, input);
    const { session, output } = readCommandResult(result.text);
    if (command === undefined || session === undefined) {
      this.#tell(derive(call.name, input, result, cwd), call.id, at);
      return;
    }
    const line = command.slice(0, COMMAND_LIMIT);
    this.#running.push({ call_id: call.id, session, command: line, output: output.slice(-OUTPUT_LIMIT) });
    if (this.#running.length > RUNNING_LIMIT) this.#give(this.#running.splice(0, 1), null, at);
  }

  /** Adds the later output of a running command, and perhaps its end. */
  #hears(input: JsonValue, result: Result, at: number): void {
    const session = objectOf(input)?.['session_id'];
    const running = this.#running.find((each) => each.session === String(session));
    if (!running) return;
    const { exit_code, output } = readCommandResult(result.text);
    const heard = { ...running, output: `${running.output}${output}`.slice(-OUTPUT_LIMIT) };
    const isOver = exit_code !== null;
    this.#running = this.#running.flatMap((each) => (each !== running ? [each] : isOver ? [] : [heard]));
    if (isOver) this.#give([heard], exit_code, at);
  }

  #give(ended: readonly Running[], exit_code: number | null, at: number): void {
    for (const { call_id, command, output } of ended)
      this.#tell(commandRecord(command, { exit_code, output, duration_ms: undefined }), call_id, at);
  }

  /** Gives the commands that still run at the end of the turn. */
  endTurn(at: number): void {
    this.#give(this.#running.splice(0), null, at);
  }
}

/** Reads running commands from a cursor. */
export function readRunning(value: JsonValue | undefined): Running[] {
  return (Array.isArray(value) ? value : []).flatMap((item): Running[] => {
    const fields = objectOf(item);
    const call_id = idOf(fields?.['call_id']);
    const session = idOf(fields?.['session']);
    const command = textOf(fields?.['command']);
    if (call_id === undefined || session === undefined || command === undefined) return [];
    return [{ call_id, session, command, output: textOf(fields?.['output']) ?? '' }];
  });
}
