/** A user or assistant record while it is handled, and the metadata of its message. */
import { type JsonObject, type JsonValue, textOf } from '../../core/json.ts';
import { withoutSecretMatches } from '../../secrets/index.ts';
import { besideContent, changes, lineOf, type Surroundings } from './fields.ts';
import { besideResults, blocksOf } from './parts.ts';
import { tokensOf, usageDetails } from './usage.ts';

/** One user or assistant record. */
export interface MessageRecord {
  record: JsonObject;
  message: JsonObject;
  at: number;
  /** When the record before it was written, which is the end of a turn that this record ends. */
  before: number;
  /** Identifies the line if it has no id of its own. */
  lineId: string;
  /** True if it is a sub-agent's, and so no part of the live branch. */
  isSide: boolean;
  agentId: string | undefined;
  /** The record around it, if it came inside another. */
  carrier: JsonObject | undefined;
}

/** Returns the metadata of a message from one of its lines; values that hardly ever change only if they do. */
export function metadataOf(spoken: MessageRecord, around: Surroundings): JsonObject {
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
    ...(record['isMeta'] === true ? { is_meta: true } : {}),
    ...(record['isCompactSummary'] === true ? { is_compact_summary: true } : {}),
    ...cwd,
    ...branch,
  };
}

/**
 * Returns the fields of a line that neither its message nor its parts contain.
 * @param unplaced the structured result, if it is unknown which of several results it belongs to
 */
export function lineOfMessage(
  { record, message, carrier }: MessageRecord,
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
