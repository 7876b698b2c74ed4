/** Declares the formats of ctx as functions of zod: a module that only names a format does not load zod. */
import type * as zod from 'zod/mini';
import type { JsonValue } from './json.ts';
import type { schemaParts } from './schema-parts.ts';

/** The parts of zod that a format is made of. */
export type Zod = typeof schemaParts;

/** The value that a format describes. */
export type Infer<Format extends (z: Zod) => zod.ZodMiniType> = zod.infer<ReturnType<Format>>;

/** Any JSON; the type is the one of ctx, whose objects may lack keys. */
export const anyJson = (z: Zod) => z.json() as unknown as zod.ZodMiniType<JsonValue>;

/** A text that is not empty. */
export const filledText = (z: Zod) => z.string().check(z.minLength(1));

/** A whole number from 0. */
export const wholeNumber = (z: Zod) => z.int().check(z.nonnegative());

/** A point in time: Unix seconds. */
export const unixSeconds = wholeNumber;

/** The id of an object in Git. */
export const objectId = (z: Zod) => z.string().check(z.regex(/^[0-9a-f]{40}$/));

/** A SHA-256, hexadecimal. */
export const sha256 = (z: Zod) => z.string().check(z.regex(/^[0-9a-f]{64}$/));
