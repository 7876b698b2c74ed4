/** A user or assistant record on its way into a message, and what it tells of that message. */
import { type JsonObject, type JsonValue, textOf } from '../../core/json.ts';
import { withoutSecretMatches } from '../../secrets/index.ts';
import { besideContent, changes, isTrue, lineOf, type Surroundings } from './fields.ts';
import { besideResults, blocksOf } from './parts.ts';
import { tokensOf, usageDetails } from './usage.ts';

/** One user or assistant record. */
export interface Spoken {
  record: JsonObject;
  message: JsonObject;
  at: number;
  /** When the record before it was written: a turn that it ends was over by then. */
  before: number;
  /** Identifies the line where it has no id of its own. */
  lineId: string;
  /** Whether a sub-agent says it: then it is no part of the live branch. */
  isSide: boolean;
  agentId: string | undefined;
  /** The record that carried it, where it came inside another. */
  carrier: JsonObject | undefined;
}

/** What a line tells of its message; what hardly ever changes only where it does. */
export function metadataOf(spoken: Spoken, around: Surroundings): JsonObject {
  const { record, message, isSide, agentId } = spoken;
  const place = { ...spoken.carrier, ...record };
  const cwd = changes(around, 'cwd', place['cwd']) ? { cwd: place['cwd'] } : {};
  const branch = changes(around, 'gitBranch', place['gitBranch']) ? { git_branch: place['gitBranch'] } : {};
  const model = textOf(message['model']);
  const stop = textOf(message['stop_reason']);
  const request = textOf(record['requestId']);
  const tool = textOf(spoken.carrier?.['parentToolUseID']);
  const isAssistant = record['type'] === 'assistant';
  const tokens = isAssistant ? tokensOf(message) : undefined;
  const details = isAssistant ? usageDetails(message) : undefined;
  return {
    ...(model === undefined ? {} : { model }),
    ...(tokens ? { usage: tokens } : {}),
    ...(details ? { usage_details: details } : {}),
    ...(stop === undefined ? {} : { stop_reason: stop }),
    ...(request === undefined ? {} : { request_id: request }),
    ...(isSide ? { is_sidechain: true } : {}),
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...(tool === undefined ? {} : { parent_tool_call_id: tool }),
    ...(isTrue(record['isMeta']) ? { is_meta: true } : {}),
    ...(isTrue(record['isCompactSummary']) ? { is_compact_summary: true } : {}),
    ...cwd,
    ...branch,
  };
}

/**
 * What a line says that neither its message nor the parts of that tell.
 * @param unplaced the account of its results, where it does not say which of them it is about
 */
export function lineOfSpoken(
  { record, message, carrier }: Spoken,
  around: Surroundings,
  unplaced?: JsonValue,
): JsonObject {
  const beside = besideContent(message, around);
  const results = besideResults(blocksOf(message['content']));
  return {
    ...lineOf(record, around),
    ...(beside && { message: beside }),
    ...(results.length > 0 && { results }),
    // Each of the calls may have searched.
    ...(unplaced !== undefined && { toolUseResult: withoutSecretMatches(unplaced) }),
    ...(carrier && { progress: carrier }),
  };
}
