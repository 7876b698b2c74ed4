/** `ctx init`. */
import { resolve } from 'node:path';
import { type InitResult, initRepository } from '../../app/init.ts';
import { workingFolder } from '../../app/open.ts';
import { WORKTREE_WARNING, worktreeAdvice } from '../../app/setup/linked-worktree.ts';
import { defineCommand } from '../frame/command.ts';

interface Input {
  dir?: string | undefined;
  tracked?: boolean | undefined;
  trust?: boolean | undefined;
  conversations?: string | undefined;
}

const PROGRAM_FOUND =
  "Its settings.json lay there before, and may be somebody else's: the program that it names is not run";
const TRUST = 'If they are yours: ctx init --trust';

export const initCommand = defineCommand<Input, InitResult>({
  name: 'init',
  summary: 'make a store here',
  arguments: [
    {
      name: 'dir',
      completes: 'folders',
      description: 'the folder to make it in (default: the working directory)',
      optional: true,
    },
  ],
  options: [
    { flags: '--tracked', description: 'let the Git repository around it track it' },
    {
      flags: '--conversations <folder>',
      description: 'mirror each session into this folder of the project when it is paused or ends',
    },
    { flags: '--trust', description: 'let the settings of this store run programs, though it was not made here' },
  ],
  examples: [
    ['ctx init', 'make .ctx here; again is harmless'],
    ['ctx init ../service', 'make it in another folder'],
    ['ctx init --conversations conversations', 'write what is said into conversations/, too'],
  ],
  exits: [[1, 'the folder cannot be written to']],
  mutates: true,
  input: (z) =>
    z.object({
      dir: z.optional(z.string()),
      tracked: z.optional(z.boolean()),
      trust: z.optional(z.boolean()),
      conversations: z.optional(z.string()),
    }),
  run: (app, input) => {
    const directory = workingFolder(resolve(app.directory, input.dir ?? '.'));
    const store = input.dir === undefined ? app.store : undefined;
    const trust = input.trust ? 'always' : 'if made';
    const { tracked, conversations } = input;
    return initRepository({ directory, store, tracked, trust, conversations }).result;
  },
  render: (result) => {
    const made = result.created
      ? `Made a ctx store in ${result.path}\n`
      : `The ctx store in ${result.path} is there already${result.head_restored ? ': its HEAD was gone, and is written again' : ''}\n`;
    const left = result.excluded_in ? `Git leaves it alone (${result.excluded_in})\n` : '';
    const found = result.program_found ? `${PROGRAM_FOUND}\n` : '';
    return `${made}${left}${found}${result.linked_worktree ? `${WORKTREE_WARNING}\n` : ''}`;
  },
  hints: ({ linked_worktree, program_found }) => [
    ...(program_found ? [TRUST] : []),
    ...(linked_worktree ? worktreeAdvice(linked_worktree) : []),
  ],
});
