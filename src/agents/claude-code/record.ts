/** The shape of a record of Claude Code on its line. */
import type { JsonObject } from '../../core/json.ts';
import { type LineRead, type RecordShape, readLine } from '../shared/lines.ts';

const SHAPE: RecordShape = {
  beginnings: /\{"(?:parentUuid|type|uuid|isSidechain|sessionId|messageId|logicalParentUuid)"/g,
  isWhole: (record: JsonObject): boolean => {
    const ids = [record['uuid'], record['sessionId'], record['leafUuid'], record['messageId']];
    return typeof record['type'] === 'string' && ids.some((id) => typeof id === 'string');
  },
};

/** Reads a line of a transcript. Never throws; a blank line has no records. */
export function readRecords(line: string): LineRead {
  return readLine(line, SHAPE);
}
