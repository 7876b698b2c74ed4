/** Tool calls as parts of a message, with and without their results. */
import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Part } from '../../core/message.ts';
import { idOf } from './fields.ts';

/** A part that is a tool call, as far as it is known. */
export interface ToolPart {
  type: 'dynamic-tool';
  toolName: string;
  toolCallId: string;
  state: 'input-available' | 'output-available' | 'output-error';
  input: JsonValue;
  [key: string]: JsonValue | undefined;
}

/** Reads a tool part that was written as JSON, as a call without a result; undefined if it is none. */
export function readToolPart(value: JsonValue | undefined): ToolPart | undefined {
  const part = objectOf(value);
  const toolName = textOf(part?.['toolName']);
  const toolCallId = idOf(part?.['toolCallId']);
  if (part?.['type'] !== 'dynamic-tool' || toolName === undefined || toolCallId === undefined) return undefined;
  const { errorText: _error, output: _output, result: _result, ...call } = part;
  return {
    ...call,
    type: 'dynamic-tool',
    toolName,
    toolCallId,
    state: 'input-available',
    input: part['input'] ?? null,
  };
}

/** The error text of a call that never got a result. */
export const NO_RESULT = 'no result recorded';

export function isToolPart(part: Part | ToolPart): part is ToolPart {
  return part.type === 'dynamic-tool';
}

/** The result of a tool, from the line that contains it. */
export interface Result {
  callId: string;
  content: JsonValue | undefined;
  /** The text of the content. */
  text: string;
  failed: boolean;
  /** The agent's own, structured form of the result; undefined if it has none. */
  structured: JsonValue | undefined;
}

/** Returns whether two values are the same as JSON; values of different types are not written out. */
const isSameJson = (one: unknown, other: unknown): boolean =>
  typeof one === typeof other && JSON.stringify(one) === JSON.stringify(other);

/** Returns whether the structured form only repeats the content. */
function isRepetition(result: Result): boolean {
  const { structured, text, content } = result;
  if (typeof structured === 'string') {
    const bare = structured.replace(/^Error: /, '');
    return [structured, bare].some((words) => words === text || text === `<tool_use_error>${words}</tool_use_error>`);
  }
  return structured === undefined || structured === null || isSameJson(structured, content);
}

/** Returns the part of a call with its result. */
export function withResult(call: ToolPart, result: Result, at: number): ToolPart {
  const { errorText: _error, output: _output, result: _result, ...known } = call;
  const kept = isRepetition(result) ? {} : { result: result.structured };
  const common = { ...known, type: 'dynamic-tool', toolName: call.toolName, toolCallId: call.toolCallId } as const;
  const input = call.input;
  if (!result.failed) {
    return { ...common, input, state: 'output-available', output: result.content ?? null, ...kept, completed_at: at };
  }
  const blocks = typeof result.content === 'string' ? {} : { output: result.content ?? null };
  return { ...common, input, state: 'output-error', errorText: result.text, ...blocks, ...kept, completed_at: at };
}

/** Returns the part of a call that got no result. */
export function withoutResult(call: ToolPart): ToolPart {
  return { ...call, state: 'output-error', errorText: NO_RESULT };
}

/** Returns the part of a result without a call. */
export function orphanPart(result: Result, at: number): ToolPart {
  const { callId: toolCallId } = result;
  const call: ToolPart = {
    type: 'dynamic-tool',
    toolName: 'unknown',
    toolCallId,
    state: 'input-available',
    input: null,
  };
  return { ...withResult(call, result, at), is_orphan: true };
}
