/** `ctx replay`. */
import { replayRun } from '../../app/run/replay.ts';
import type { Chunk } from '../../core/run/chunk.ts';
import { defineCommand } from '../frame/command.ts';

interface Input {
  session?: string | undefined;
  follow?: boolean | undefined;
  from?: number | undefined;
}

export const replayCommand = defineCommand<Input, Chunk[]>({
  name: 'replay',
  summary: 'print the chunks of the last run, from the first one on',
  arguments: [{ name: 'session', description: 'open or ended (default: the active one)', optional: true }],
  options: [
    { flags: '-f, --follow', description: 'wait for what comes, until the run ends' },
    {
      flags: '--from <index>',
      description: '0: a reader of the AI SDK needs every chunk from the first',
      kind: 'integer',
    },
  ],
  examples: [
    ['ctx replay --follow', 'what the model said so far, and then as it comes'],
    ['ctx replay 019bef22', 'the last answer of a session, as chunks that make the same message'],
  ],
  exits: [
    [1, 'there is no such session, or it has no answer'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  input: (z) =>
    z.object({
      session: z.optional(z.string()),
      follow: z.optional(z.boolean()),
      from: z.optional(
        z.int().check(z.refine((from) => from === 0, '--from takes 0: a part is nothing without its beginning')),
      ),
    }),
  isStreamed: (_input, json) => !json,
  run: async (app, { session, follow }) => {
    const chunks: Chunk[] = [];
    for await (const chunk of replayRun(app.repository(), session, { follow })) {
      if (app.json) chunks.push(chunk);
      else if (!(await app.output(`${JSON.stringify(chunk)}\n`))) break;
    }
    return chunks;
  },
  render: () => '',
});
