/** The manifest of a bundle: what is in it, its origin, and the hash of each piece. */
import * as z from 'zod/mini';
import { CtxError } from '../errors.ts';
import { isObject, type JsonValue } from '../json.ts';
import { originFormat } from '../origin.ts';
import { objectId, sha256, unixSeconds, wholeNumber } from '../schema.ts';
import { schemaParts } from '../schema-parts.ts';
import { firstProblem } from '../schema-problem.ts';

/** The version that this ctx writes, and the newest that it reads. */
export const BUNDLE_VERSION = 1;

const oid = objectId(schemaParts);
const count = wholeNumber(schemaParts);

/** All objects of a bundle that belong together, each in the first piece that has it. */
const pieceSchema = z.object({
  /** `history`, the ref of a session, or a path in the tree of the export. */
  name: z.string(),
  objects: count,
  bytes: count,
  sha256: sha256(schemaParts),
});
export type Piece = z.infer<typeof pieceSchema>;

const sessionSchema = z.object({
  session_id: z.string().check(z.minLength(1)),
  ref: z.string(),
  head: oid,
  base: oid,
  steps: z.int().check(z.positive()),
  /** The canonical commit of an ended session; null if it left none, or is open. */
  commit: z.nullable(oid),
});
/** A session of a bundle. */
export type BundledSession = z.infer<typeof sessionSchema>;

export const manifestSchema = z.object({
  version: z.int().check(z.positive()),
  exported_at: unixSeconds(schemaParts),
  /** The newest commit of the canonical history in the bundle. */
  main: oid,
  sessions: z.array(sessionSchema).check(z.minLength(1)),
  origin: originFormat(schemaParts),
  /** Number of secrets that were redacted from the sessions, by rule. */
  redacted: z.record(z.string(), count),
  pieces: z.array(pieceSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** Reads a manifest; returns the reason if it is none. @throws {CtxError} newer_version */
export function readManifest(text: string): Manifest | string {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return 'its manifest is no JSON';
  }
  if (isObject(value) && typeof value.version === 'number' && value.version > BUNDLE_VERSION)
    throw new CtxError('newer_version', 'The bundle was written by a newer version of ctx.', {
      hint: 'Nothing was changed. Upgrade ctx.',
    });
  const parsed = manifestSchema.safeParse(value);
  return parsed.success ? parsed.data : `in its manifest, ${firstProblem(parsed.error)}`;
}
