/** Declares the format of session.json: the session as of one step. Unknown keys are kept from step to step. Times are Unix seconds. */

import type * as zod from 'zod/mini';
import * as z from 'zod/mini';
import { COMMIT_TYPES, mayBeNewer, type StoredCommitType } from '../commit-types/table.ts';
import { usageSchema } from '../message.ts';
import { keptOrigin } from '../origin.ts';
import { anyJson, objectId, unixSeconds, wholeNumber, type Zod } from '../schema.ts';
import { schemaParts } from '../schema-parts.ts';
import { sessionStateSchema } from '../state.ts';

/** Any type; of a type that this ctx does not know, only the name is looked at. */
export const storedCommitTypeSchema = (z: Zod) =>
  z.union([
    ...Object.values(COMMIT_TYPES).map((row) => row.storedSchema(z)),
    z.looseObject({ kind: z.string().check(z.refine(mayBeNewer)) }),
  ]) as unknown as zod.ZodMiniType<StoredCommitType>;

const seconds = unixSeconds(schemaParts);
const count = wholeNumber(schemaParts);

const readFileSchema = z.looseObject({
  /** The place of the transcript when it was last read. */
  transcript: z.string(),
  /** Byte offset up to which it has been read, and the number of lines before that. */
  offset: count,
  lines: count,
  /** SHA-256 of those bytes, hexadecimal. */
  sha256: z.string(),
  /** Position of the first byte that the hash covers, if it does not cover all: a hook looks at no more than the last of them. */
  hash_from: z.optional(count),
  /** When the file continued what another file holds, in the agent's spelling; absent if it does not. */
  continued_at: z.optional(z.string()),
});
/** Position up to which a transcript of an agent has been read. */
export type ReadFile = z.infer<typeof readFileSchema>;

export const sourceSchema = z.extend(readFileSchema, {
  /** Name of the agent that wrote the transcript. */
  agent: z.string(),
  /** The agent's own id of the session. */
  agent_session_id: z.string(),
  /** State that the reader needs to continue; only the reader of the agent reads it. */
  cursor: anyJson(schemaParts),
  /** Replaces the first line of the file, if only the name of the file identifies the conversation. */
  first_line: z.optional(z.string()),
  /** When somebody else than the transcript last moved the session, as of the ingest; absent if hooks read the transcript. */
  moved_before: z.optional(seconds),
  /** The files before it that were read, of a conversation that lies in several. */
  other_files: z.optional(z.array(readFileSchema)),
  /** Number of the step before the one that last read it to its end, 0 for none; absent unless it was since too much for one reading. */
  whole_after: z.optional(count),
  /** Present if the session has read nothing yet, and the session that it continues may not have read all of its own part. */
  behind: z.optional(z.literal(true)),
});
/** A conversation of an agent that a session was made of, and how far the latest of its files was read. */
export type Source = z.infer<typeof sourceSchema>;

export const countsSchema = z.object({
  records: count,
  notes: count,
  plans: count,
  commands: count,
  relations: count,
  messages: count,
  /** Distinct paths. */
  files: count,
});
/** Numbers of a session's contents. */
export type Counts = z.infer<typeof countsSchema>;

export const endingSchema = z.looseObject({
  type: storedCommitTypeSchema(schemaParts),
  /** The message, exactly as it was given. */
  message: z.string(),
  at: seconds,
  /** Distinct paths that the session wrote or deleted. */
  files_changed: count,
  /** The version of the renderer that has written summary.md; absent for 1. */
  summary_version: z.optional(z.int().check(z.positive())),
});
/** The ending of a session; in the session.json of a canonical commit only. */
export type Ending = z.infer<typeof endingSchema>;

const pauseSchema = z.looseObject({
  at: seconds,
  /** Cause of the pause: `stop` by its user, `idle` because nothing was done in it. */
  by: z.string(),
  /** The point at which it stopped, in a sentence or two. */
  summary: z.optional(z.string()),
});
/** A pause of a session. */
export type Pause = z.infer<typeof pauseSchema>;
const chosenModelSchema = z.looseObject({
  provider_id: z.string(),
  model_id: z.string(),
  variant: z.optional(z.string()),
});
/** A model, as the messages of the user name it. */
export type ChosenModel = z.infer<typeof chosenModelSchema>;

/** A rule of permissions that the user has set for the session. */
const permissionSchema = z.looseObject({
  verdict: z.enum(['allow', 'ask', 'deny']),
  rule: z.string(),
  pin: z.optional(z.boolean()),
});

export const sessionSchema = z.looseObject({
  version: z.literal(1),
  session_id: z.string().check(z.minLength(1)),
  task_description: z.string(),
  session_state: sessionStateSchema(schemaParts),
  /** Canonical head at the time of the first step. */
  base: objectId(schemaParts),
  /** Number of this step, from 1. */
  step: z.int().check(z.positive()),
  started_at: seconds,
  last_activity: seconds,
  counts: countsSchema,
  agent: z.nullable(z.string()),
  sources: z.array(sourceSchema),
  model: z.optional(z.string()),
  /** The model that was chosen for the messages to come. */
  chosen_model: z.optional(chosenModelSchema),
  title: z.optional(z.string()),
  /** The title that the user gave; empty if it was taken back. */
  renamed: z.optional(z.string()),
  /** Kind of the work: `brainstorm`, `debug`, or any other text. */
  type: z.optional(z.string()),
  /** The command of the agent that it was begun with: `/workspace.brainstorm`. */
  command: z.optional(z.string()),
  /** The mode, style or sub-agent that the agent ran in. */
  mode: z.optional(z.string()),
  agent_version: z.optional(z.string()),
  /** The system prompt that the agent had: its SHA-256, and the file that it came from. */
  system_prompt: z.optional(z.looseObject({ sha256: z.string(), path: z.optional(z.string()) })),
  mcp_servers: z.optional(z.array(z.string())),
  tools: z.optional(z.array(z.string())),
  /** Rules of permissions for this session alone. */
  permissions: z.optional(z.array(permissionSchema)),
  /** Absent while the session is active. */
  paused: z.optional(pauseSchema),
  usage: z.optional(usageSchema(schemaParts)),
  /** Number of secrets that were taken out of its records, by rule; absent if none was. */
  redacted: z.optional(z.record(z.string(), count)),
  /** The session that was compacted, whose transcript this session continues. */
  continues: z.optional(z.string()),
  /** The head at which ctx last started an agent for it whose conversation it has. */
  launched: z.optional(z.string()),
  /** Origin that it was taken in from, and what the folders of that place are here; absent if it began here. */
  origin: z.optional(keptOrigin(schemaParts)),
  /** The ended session that this one was begun to resume. */
  resumes: z.optional(z.string()),
  /** The session that started this one as a sub-agent, or that this one is a copy of; absent if the store does not know it. */
  parent_session_id: z.optional(z.string()),
  /** The message of that session with which a copy ends; present if this session is a branch. */
  parent_message_id: z.optional(z.string()),
  /** SHA-256 of the system prompt that its next answers are given under. */
  system_prompt_digest: z.optional(z.string()),
  /** Position at which its provider continues: a thread or a response by its own id, as of the last finished turn. */
  resume_cursor: z.optional(
    z.looseObject({
      cursor: z.string(),
      at: seconds,
      /** The last message of that turn. */
      message_id: z.optional(z.string()),
    }),
  ),
  /** The last run whose messages the session has whole. */
  last_run: z.optional(z.string()),
  /** Facts that a program has recorded about it; `ephemeral: true` keeps a branch out of lists. */
  metadata: z.optional(z.record(z.string(), anyJson(schemaParts))),
  /** Cost of its calls of models, if their writers said so. */
  cost_usd: z.optional(z.number()),
  /** When all that it held was forgotten; absent if anything was recorded since. */
  forgotten_at: z.optional(seconds),
  ended: z.optional(endingSchema),
});
/** The content of session.json. */
export type Session = z.infer<typeof sessionSchema>;

/** Checks if a session.json says how its session ended, and all of it. */
export const isEnding = (value: unknown): value is Ending => endingSchema.safeParse(value).success;
