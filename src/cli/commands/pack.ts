/** `ctx pack`. */
import { type Pack, packFor } from '../../app/find/pack.ts';
import { defineCommand } from '../frame/command.ts';
import { remarksOn } from './search.ts';

interface Input {
  question: string;
  budget?: number | undefined;
  path?: string[] | undefined;
  depth?: number | undefined;
  format?: 'markdown' | 'json' | undefined;
}

export const packCommand = defineCommand<Input, Pack>({
  name: 'pack',
  summary: 'collect what an agent should know before it begins a task',
  arguments: [{ name: 'question', description: 'a question or a task', rest: 'words' }],
  options: [
    {
      flags: '--budget <tokens>',
      description: 'at most so many tokens, as they are estimated (default: 8000)',
      kind: 'integer',
    },
    { flags: '--path <path>', description: 'only from sessions that did something with this path', many: true },
    {
      flags: '--depth <number>',
      description: 'how far relations lead to other sessions: 0, 1 or 2 (default: 1)',
      kind: 'integer',
    },
    {
      flags: '--format <format>',
      description: 'markdown (default), or json: the result alone',
      choices: ['markdown', 'json'],
    },
  ],
  examples: [
    ['ctx pack "Why does the retry give up?"', 'decisions, what was given up, files, commands'],
    ['ctx pack --budget 2000 --path src/retry.ts "Add jitter"', 'little, and about one file'],
  ],
  mutates: false,
  paged: true,
  input: (z) =>
    z.object({
      question: z.string().check(z.refine((text) => text.trim() !== '', 'Give a question or a task')),
      budget: z.optional(z.int().check(z.nonnegative('--budget cannot be negative'))),
      path: z.optional(z.array(z.string())),
      depth: z.optional(z.int().check(z.refine((depth) => depth >= 0 && depth <= 2, '--depth takes 0, 1 or 2'))),
      format: z.optional(z.enum(['markdown', 'json'])),
    }),
  run: (app, { question, budget, path: paths, depth }) =>
    packFor(app.repository(), question, {
      budget,
      paths,
      depth,
      catalog: { warn: app.remark, progress: app.progress },
    }),
  remarks: remarksOn,
  render: (pack, _theme, { format }) => (format === 'json' ? JSON.stringify(pack, null, 2) : pack.text),
});
