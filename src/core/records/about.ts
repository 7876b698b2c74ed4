/** The kind `about`: what is known of a session as a whole: its agent, its command, its model, its system prompt, its tools, its origin. */

import { lazily } from '../lazily.ts';
import { keptOrigin, originPlace } from '../origin.ts';
import type { Zod } from '../schema.ts';
import { OBJECT_ID, place, recordPlace, SHA256, WORD } from '../structure.ts';
import { type RecordKind, SILENT } from './kind.ts';
import { fieldInWords, lineOf } from './words.ts';

export const about = {
  ...SILENT,
  /** A field that is absent stays as it was; `by` is who said it. */
  schema: (z: Zod) =>
    z.looseObject({
      kind: z.literal('about'),
      by: z.optional(z.string()),
      agent: z.optional(z.string()),
      agent_version: z.optional(z.string()),
      command: z.optional(z.string()),
      mode: z.optional(z.string()),
      model: z.optional(z.string()),
      type: z.optional(z.string()),
      system_prompt: z.optional(z.looseObject({ sha256: z.string(), path: z.optional(z.string()) })),
      mcp_servers: z.optional(z.array(z.string())),
      tools: z.optional(z.array(z.string())),
      launched: z.optional(z.string()),
      origin: z.optional(keptOrigin(z)),
    }),
  batch: 'refused',
  structure: lazily(() =>
    recordPlace({ by: WORD, launched: OBJECT_ID }, { system_prompt: place({ sha256: SHA256 }), origin: originPlace() }),
  ),
  isActivity: false,
  isDated: () => false,
  nouns: ['description', 'descriptions'],
  line: (record) => {
    const { version: _version, id: _id, at: _at, kind: _kind, by: _by, redacted: _redacted, ...fields } = record;
    return lineOf(
      record,
      Object.entries(fields)
        .map(([name, value]) => `${name}: ${fieldInWords(value)}`)
        .join(', '),
    );
  },
} satisfies RecordKind;
