/** `ctx import`. */
import { openBundle } from '../../app/exchange/bundle-source.ts';
import { type ImportResult, importBundle } from '../../app/exchange/import.ts';
import { oneLine, plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';

interface Input {
  file: string;
  dry_run?: boolean | undefined;
  map?: string[] | undefined;
}

/** Outcome of the import of a session, in words; the reason too if it is kept beside. */
const OUTCOMES = {
  new: 'new',
  same: 'here already',
  forwarded: 'forwarded',
  beside: 'beside',
  both: 'kept beside as a branch, since it continued here too',
  secrets: 'kept beside without the secrets in it, under a new id',
};

/** Splits `old=new` at its first `=`. */
function pairOf(text: string): { from: string; to: string } {
  const at = text.indexOf('=');
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

export const importCommand = defineCommand<Input, ImportResult>({
  name: 'import',
  summary: 'take in the sessions of a file that ctx export has written',
  arguments: [{ name: 'file', description: 'the file; - reads standard input', completes: 'files' }],
  options: [
    { flags: '--dry-run', description: 'check the file, and only show what would be done' },
    {
      flags: '--map <old=new>',
      description: 'a folder of the other machine, and what it is here',
      many: true,
    },
  ],
  examples: [
    ['ctx import retries.bundle', 'keep its sessions here, paused'],
    ['ctx import retries.bundle --dry-run', 'check it, and show what would be done'],
    ['ctx import - --map /home/ada/api=/work/api', 'from standard input, with the place of the project here'],
  ],
  exits: [
    [1, 'the file is refused, and nothing was changed'],
    [4, 'another command works on the store'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) =>
    z.object({
      file: z.string().check(z.minLength(1)),
      dry_run: z.optional(z.boolean()),
      map: z.optional(z.array(z.string().check(z.refine((pair) => /^[^=]+=./.test(pair), '--map takes old=new')))),
    }),
  run: (app, { file, dry_run, map = [] }) =>
    importBundle(app.repository(), file === '-' ? app.input() : openBundle(app.directory, file), {
      dryRun: dry_run,
      map: map.map(pairOf),
    }),
  render: ({ sessions, dry_run }, theme) => {
    const lines = sessions.map(({ outcome, title, session_id, reason, open }) => {
      const kept =
        OUTCOMES[reason ?? outcome] + (open && (outcome === 'new' || outcome === 'beside') ? ', paused' : '');
      return `  ${theme.accent(session_id)}  ${oneLine(title, 80)}: ${kept}\n`;
    });
    const head = dry_run ? 'Would import' : 'Imported';
    return `${head} ${plural(sessions.length, 'session')}:\n${lines.join('')}`;
  },
  hints: ({ mapped, sessions, dry_run }) => {
    if (sessions.every(({ outcome }) => outcome === 'same'))
      return mapped.some(({ by }) => by === 'user')
        ? ['Nothing was mapped: what is here already keeps the folders that its import was given.']
        : [];
    return [
      ...mapped.map(({ from, to, by }) => `${by === 'guess' ? 'The same repository: ' : ''}${from} is ${to} here.`),
      ...(dry_run ? [] : ['Continue one with: ctx resume <session>; take all of it back with: ctx undo']),
    ];
  },
});
