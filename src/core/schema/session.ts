/** The format of session.json (zod): the session as of one step. What is unknown in it is kept from step to step. */
import * as z from 'zod/mini';
import type { JsonValue } from '../json.ts';
import type { Counts, Session, Source } from '../session/session.ts';
import { usageSchema } from './message.ts';
import { commitTypeSchema, sessionStateSchema, unixSeconds } from './state.ts';

/** Any JSON; the type is ours, whose objects may lack keys. */
const json = z.json() as unknown as z.ZodMiniType<JsonValue>;
const count = z.int().check(z.nonnegative());
const objectId = z.string().check(z.regex(/^[0-9a-f]{40}$/));

const fileFields = {
  transcript: z.string(),
  offset: count,
  lines: count,
  sha256: z.string(),
  hash_from: z.optional(count),
  continued_at: z.optional(z.string()),
};

export const sourceSchema: z.ZodMiniType<Source> = z.looseObject({
  agent: z.string(),
  agent_session_id: z.string(),
  ...fileFields,
  first_line: z.optional(z.string()),
  moved_before: z.optional(unixSeconds),
  cursor: json,
  other_files: z.optional(z.array(z.looseObject(fileFields))),
  whole_after: z.optional(count),
  behind: z.optional(z.literal(true)),
});

export const countsSchema: z.ZodMiniType<Counts> = z.object({
  records: count,
  notes: count,
  plans: count,
  commands: count,
  relations: count,
  messages: count,
  files: count,
});

export const sessionSchema: z.ZodMiniType<Session> = z.looseObject({
  version: z.literal(1),
  session_id: z.string().check(z.minLength(1)),
  task_description: z.string(),
  session_state: sessionStateSchema,
  base: objectId,
  step: z.int().check(z.positive()),
  started_at: unixSeconds,
  last_activity: unixSeconds,
  counts: countsSchema,
  agent: z.nullable(z.string()),
  sources: z.array(sourceSchema),
  model: z.optional(z.string()),
  title: z.optional(z.string()),
  usage: z.optional(usageSchema),
  redacted: z.optional(z.record(z.string(), count)),
  continues: z.optional(z.string()),
  parent_session_id: z.optional(z.string()),
  forgotten_at: z.optional(unixSeconds),
  ended: z.optional(
    z.looseObject({
      type: commitTypeSchema,
      message: z.string(),
      at: unixSeconds,
      files_changed: count,
      summary_version: z.optional(z.int().check(z.positive())),
    }),
  ),
});
