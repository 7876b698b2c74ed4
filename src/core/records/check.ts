/** Checks the fields of records that come from outside. Unknown kinds and keys are kept as they are, never dropped. */
import type * as zod from 'zod/mini';
import { schemaParts as z } from '../schema-parts.ts';
import { firstProblem } from '../schema-problem.ts';
import type { AnyBody } from './record.ts';
import { kindNamed } from './table.ts';

/** The fields of a record of a kind that this version does not know. */
const anyBody = z.looseObject({ kind: z.string().check(z.minLength(1)) });

export type BodyCheck = { ok: true; body: AnyBody } | { ok: false; problem: string };

/** The schemas of the kinds that were asked for. */
const schemas = new Map<string, zod.ZodMiniType<{ kind: string }>>();

/** Returns the schema of a kind; undefined if a batch may have anything under its name. */
function schemaOf(name: string): zod.ZodMiniType<{ kind: string }> | undefined {
  const kind = kindNamed(name);
  if (kind?.batch !== 'checked') return undefined;
  const schema = schemas.get(name) ?? kind.schema(z);
  schemas.set(name, schema);
  return schema;
}

/** Checks the fields of a record that came from outside; a record of an unknown kind passes with what it has. */
export function checkBody(value: unknown): BodyCheck {
  const other = anyBody.safeParse(value);
  if (!other.success) return { ok: false, problem: 'it is not an object with a "kind"' };
  const { kind } = other.data;
  if (kindNamed(kind)?.batch === 'refused') return { ok: false, problem: `"${kind}" records are written by ctx alone` };
  const known = schemaOf(kind)?.safeParse(value);
  if (!known) return { ok: true, body: value as AnyBody };
  if (!known.success) return { ok: false, problem: firstProblem(known.error) };
  // A given value stays as it was given; the schema only adds what has a default.
  return { ok: true, body: { ...known.data, ...(value as AnyBody) } as AnyBody };
}
