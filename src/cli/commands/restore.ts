/** `ctx restore`. */
import { type RestoredFile, restoreFile } from '../../app/files.ts';
import { bytesInWords, oneLine } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';

interface Input {
  from: string;
  path: string;
  to?: string | undefined;
}

export const restoreCommand = defineCommand<Input, RestoredFile>({
  name: 'restore',
  summary: 'write a file back as a session or a commit has it',
  arguments: [{ name: 'path', description: 'the file', completes: 'files' }],
  options: [
    {
      flags: '--from <revision>',
      description: 'a session, or a revision as ctx show takes it',
      required: true,
      completes: 'sessions',
    },
    { flags: '--to <file>', description: 'write it there instead', completes: 'files' },
  ],
  examples: [
    ['ctx restore --from HEAD src/retry.ts', 'the file as the last session left it'],
    ['ctx restore --from STAGE src/retry.ts --to retry.old.ts', 'a copy beside the file'],
  ],
  exits: [
    [1, 'there is no such revision, or no such file in it'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  isAsked: () => false,
  input: (z) => z.object({ from: z.string(), path: z.string(), to: z.optional(z.string()) }),
  run: (app, { from, path, to }) => restoreFile(app.repository(), from, path, { directory: app.directory, to }),
  render: ({ revision, path, to, bytes }) =>
    `Wrote ${oneLine(path, 1024)} of ${oneLine(revision)} to ${oneLine(to, 1024)} (${bytesInWords(bytes)})\n`,
});
