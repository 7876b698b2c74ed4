/** The parts of zod that inputs of commands are made of: named one by one, so that the bundle holds no others. */
import {
  array,
  boolean,
  int,
  minLength,
  nonnegative,
  object,
  enum as oneOf,
  optional,
  refine,
  safeParse,
  string,
} from 'zod/mini';

export const schemas = {
  array,
  boolean,
  enum: oneOf,
  int,
  minLength,
  nonnegative,
  object,
  optional,
  refine,
  string,
} as const;

/** Schemas from which a command's `input` is made. */
export type Schemas = typeof schemas;

export { safeParse };
