/** Defines the common parts of the kinds `read`, `write` and `delete`, which each name one file. */
import { lazily } from '../lazily.ts';
import { filledText, objectId, sha256, wholeNumber, type Zod } from '../schema.ts';
import { OBJECT_ID, recordPlace, SHA256 } from '../structure.ts';
import type { Digest } from './digest.ts';
import { type RecordKind, SILENT, type StoredRecord } from './kind.ts';
import { fieldInWords, lineOf, textOrPreview } from './words.ts';

/** The fields of a record of a file that has a content. */
export const contentFields = (z: Zod) => ({
  /** From the project's root, with slashes; absolute if the file lies outside. */
  path: filledText(z),
  /** Object id of the content, if the store keeps it. */
  blob: z.optional(objectId(z)),
  bytes: z.optional(wholeNumber(z)),
  /** SHA-256 of the content, hexadecimal, if the store does not keep it. */
  sha256: z.optional(sha256(z)),
});

/** Notes in a digest what was done to a path. */
export function digestPath(digest: Digest, { path }: StoredRecord, what: 'read' | 'write' | 'delete'): void {
  if (what !== 'read') digest.changed.add(textOrPreview(path));
  digest.paths.set(textOrPreview(path), what);
}

export const OF_FILE = {
  ...SILENT,
  structure: lazily(() => recordPlace({ blob: OBJECT_ID, sha256: SHA256 })),
  isOfFile: true,
  squash: 'goes',
  line: (record) => lineOf(record, fieldInWords(record.path)),
} as const satisfies Partial<RecordKind>;
