/** Claude Code: its transcripts, its hooks, and the user's words. */

import { isObject, type JsonObject } from '../../core/json.ts';
import type { Agent } from '../contract/agent.ts';
import type { PermissionPoint } from '../contract/hook-settings.ts';
import { hasRecord } from '../shared/lines.ts';
import { permissionRequest } from '../shared/permission-point.ts';
import { claudeCodeCompanion } from './companion.ts';
import { readHook } from './hook.ts';
import { claudeCodeHooks } from './hooks.ts';
import { isBeside } from './line-types.ts';
import { ClaudeCodeReader } from './reader.ts';
import { readRecords } from './record.ts';
import { claudeCodeTranscripts } from './transcripts.ts';
import { isQuestion, usersWordsIn } from './user-words.ts';
import { claudeCodeWriter } from './write.ts';

const text = (record: JsonObject, key: string): boolean => typeof record[key] === 'string';

/** Returns whether only Claude Code writes such a record, by its fields; user and assistant records have a position in a tree. */
function isOurs(record: JsonObject): boolean {
  const type = record['type'];
  if (type === 'user' || type === 'assistant') {
    return isObject(record['message']) && text(record, 'uuid') && ('parentUuid' in record || text(record, 'sessionId'));
  }
  if (type === 'summary') return text(record, 'summary') && text(record, 'leafUuid');
  if (type === 'file-history-snapshot') return text(record, 'messageId') && isObject(record['snapshot']);
  if (type === 'file-history-delta') return text(record, 'messageId') && text(record, 'trackingPath');
  if (type === 'queue-operation') return text(record, 'operation') && text(record, 'sessionId');
  if (text(record, 'type') && 'parentUuid' in record) return text(record, 'uuid') && text(record, 'sessionId');
  return isBeside(type) && text(record, 'sessionId');
}

/** A question of a tool to the user is no permission. */
const permissions: PermissionPoint = {
  asked: (payload) => (isQuestion(String(payload['tool_name'])) ? null : permissionRequest.asked(payload)),
  answer: (answer) => permissionRequest.answer(answer),
};

export const claudeCode: Agent = {
  name: 'claude-code',
  hooks: { hasAnswers: true, read: (payload) => readHook(payload), permissions, settings: () => claudeCodeHooks },
  places: () => claudeCodeTranscripts,
  usersWords: (texts) => usersWordsIn(texts),
  // The pattern is for a first line that is longer than the text given.
  recognises: (beginning) =>
    hasRecord(beginning, readRecords, isOurs) ||
    /^\ufeff?\s*\{"[^{]*"(parentUuid|leafUuid)":.{0,400}"sessionId": ?"[0-9a-f-]{36}"/s.test(beginning),
  sessionIds: {
    file: /(?:^|\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/,
    // In a text on a line, the quotes are escaped. Claude Code writes no blank there; a program that has edited the file may.
    line: /"sessionId"[ \t]{0,4}:[ \t]{0,4}"([^"\\]{1,128})"/g,
  },
  get companion() {
    return claudeCodeCompanion;
  },
  isOurs,
  get write() {
    return claudeCodeWriter;
  },
  reader: (resume, beside) => new ClaudeCodeReader(resume, beside),
};
