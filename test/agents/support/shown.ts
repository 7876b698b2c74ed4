// Summarises a reading of a conversation: to compare with the expected one, and to show the records of an agent.
import type { JsonObject } from '../../../src/core/json.ts';
import type { Assembled, Replay } from './replay.ts';

/** Longest text that stands in what is expected, in characters. */
const SHORT = 60;

const short = (text: unknown): string => String(text).split('\n')[0]?.slice(0, SHORT).trim() ?? '';

export interface Shown {
  session: JsonObject;
  prompts: string[];
  answers: string[];
  /** Thoughts, with or without words that can be read. */
  reasoning: number;
  /** Names of tools, and how often each was called. */
  tool_calls: Record<string, number>;
  results: { given: number; failed: number; missing: number; without_call: number };
  files_read: string[];
  files_written: string[];
  files_deleted: string[];
  /** Each with its exit code, or null. */
  commands: [command: string, exitCode: unknown][];
  usage: Record<string, number>;
  models: string[];
  /** Messages of sub-agents. */
  sub_agent_messages: number;
  compactions: number;
  interrupts: string[];
  /** Messages that a rewind has taken out of view. */
  left_behind: number;
  /** Lines that could not be read. */
  problems: number[];
}

const toolsOf = (messages: readonly Assembled[]): JsonObject[] =>
  messages.flatMap(({ parts }) => parts.filter((part) => part['type'] === 'dynamic-tool'));

/** Returns the parts that are the same in every reading of a transcript. */
export function shownIn(read: Replay): Shown {
  const messages = [...read.messages.values()];
  const tools = toolsOf(messages);
  const paths = (kind: string): string[] =>
    read.derived.flatMap((record) => (record['kind'] === kind ? [String(record['path'])] : []));
  return {
    session: read.about,
    prompts: read.events.flatMap((event) => (event.type === 'prompt' && event.text !== '' ? [short(event.text)] : [])),
    answers: messages.flatMap((message) => (message.role === 'assistant' ? answerIn(message) : [])),
    reasoning: messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'reasoning').length,
    tool_calls: counted(tools.filter((part) => !part['is_orphan']).map((part) => String(part['toolName']))),
    results: resultsOf(tools),
    files_read: paths('read'),
    files_written: paths('write'),
    files_deleted: paths('delete'),
    commands: read.derived.flatMap(({ kind, command, exit_code }) =>
      kind === 'command' ? [[short(command), exit_code ?? null] as [string, unknown]] : [],
    ),
    usage: read.usage,
    models: modelsIn(read, messages),
    sub_agent_messages: messages.filter(({ metadata }) => metadata['is_sidechain'] === true || 'agent_id' in metadata)
      .length,
    compactions: messages.filter(({ metadata }) => metadata['is_compact_summary'] === true).length,
    interrupts: read.events.flatMap((event) =>
      event.type === 'move' && event.verb === 'interrupt' ? [short(event.text)] : [],
    ),
    left_behind: leftBehind(read),
    problems: read.problems.map(({ line }) => line),
  };
}

function answerIn({ parts }: Assembled): string[] {
  const texts = parts.flatMap((part) => (part['type'] === 'text' && String(part['text']).trim() ? [part['text']] : []));
  return texts.length > 0 ? [short(texts.at(-1))] : [];
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function resultsOf(tools: readonly JsonObject[]): Shown['results'] {
  const number = (passes: (part: JsonObject) => boolean): number => tools.filter(passes).length;
  const isMissing = (part: JsonObject): boolean => part['errorText'] === 'no result recorded';
  return {
    given: number((part) => !isMissing(part) && !part['is_orphan']),
    failed: number((part) => part['state'] === 'output-error' && !isMissing(part)),
    missing: number(isMissing),
    without_call: number((part) => part['is_orphan'] === true),
  };
}

function modelsIn(read: Replay, messages: readonly Assembled[]): string[] {
  const told = [read.about['model'], ...messages.map(({ metadata }) => metadata['model'])];
  return [...new Set(told.filter((model) => typeof model === 'string'))].toSorted();
}

/** Messages that were hidden, and not by a compaction, and not shown again. */
function leftBehind({ bodies, messages }: Replay): number {
  const order = [...messages.keys()];
  const hidden = new Set<string>();
  for (const body of bodies) {
    if (body.kind !== 'overlay') continue;
    const { op, reason, ids, range } = body as unknown as {
      op: string;
      reason?: string;
      ids?: string[];
      range?: { from: string; to: string };
    };
    const those = ids ?? (range ? order.slice(order.indexOf(range.from), order.indexOf(range.to) + 1) : []);
    for (const id of those) {
      if (op === 'hide' && !/compact/.test(reason ?? '')) hidden.add(id);
      if (op === 'show') hidden.delete(id);
    }
  }
  return hidden.size;
}
