/** `ctx completion`: the completion script of a shell, and what that script asks. */
import { existingFolder, openRepository } from '../app/open.ts';
import { listAllSessions } from '../app/sessions.ts';
import { HOOK_AGENTS } from '../app/setup/hooks.ts';
import { harmlessText } from '../core/harmless.ts';
import { oneLine } from '../core/text.ts';
import { type Candidate, type Candidates, candidatesFor, type Known } from './candidates.ts';
import { splitBegun } from './command-line.ts';
import { type App, defineCommand, type GlobalInput } from './frame/command.ts';
import { parseGlobals } from './quick.ts';
import { PATHS, SCRIPTS, SHELLS, type Shell } from './shells.ts';
import { GROUPS, loadCommands } from './table.ts';

interface Input {
  shell: Shell;
  words?: string[] | undefined;
}

type Result = { shell: Shell; script: string } | { shell: Shell; typed: string; candidates: Candidates };

/** Most sessions that a shell is given. */
const MOST = 100;

/** Returns what the store knows; nothing without one, or if the store cannot be read: nobody sees an error behind a key. */
function knownTo(app: App, globals: GlobalInput): Known {
  const quietly = <T>(look: () => T, otherwise: T): T => {
    try {
      return look();
    } catch {
      return otherwise;
    }
  };
  const directory = typeof globals.directory === 'string' ? globals.directory : undefined;
  const repository = quietly(
    () => openRepository({ directory: existingFolder(directory), store: app.store, session: null }),
    null,
  );
  return {
    aliases: repository?.settings.alias ?? {},
    groups: GROUPS,
    agents: () => HOOK_AGENTS,
    sessions: (open) =>
      quietly(() => {
        if (!repository) return [];
        const { sessions } = listAllSessions(repository, { open: open || undefined, limit: MOST, topOnly: true });
        return sessions.map(({ short_id, title }) => ({ value: short_id, description: title }));
      }, []),
  };
}

async function run(app: App, { shell, words }: Input): Promise<Result> {
  if (words === undefined) return { shell, script: SCRIPTS[shell] };
  // Bash gives the line as it was typed, with the name of the program.
  const typed = shell === 'bash' ? splitBegun(words.join(' ')).slice(1) : words;
  const known = knownTo(app, parseGlobals(typed));
  return { shell, typed: typed.at(-1) ?? '', candidates: candidatesFor(typed, await loadCommands(), known) };
}

/** Bash replaces only what is behind the last of these of a word. */
const BREAKS = /^.*[=:]/s;

/** Returns the lines for bash, which shows them all if there are several, and types what they begin with. */
function bashLines(candidates: readonly Candidate[], typed: string): string[] {
  const before = BREAKS.exec(typed)?.[0] ?? '';
  const isAlone = candidates.length === 1;
  return candidates.map(({ value, description }) => {
    const rest = value.startsWith(before) ? value.slice(before.length) : value;
    return isAlone || !/^[0-9a-f]{6,}$/.test(value) ? rest : `${rest}  ${description}`;
  });
}

function render(result: Result): string {
  if ('script' in result) return result.script;
  const { shell, typed, candidates } = result;
  if (typeof candidates === 'string') return `${PATHS[candidates]}\n`;
  const plain = candidates.map(({ value, description }) => ({
    value,
    description: harmlessText(oneLine(description, 80)),
  }));
  const lines =
    shell === 'bash' ? bashLines(plain, typed) : plain.map(({ value, description }) => `${value}\t${description}`);
  return lines.map((line) => `${line}\n`).join('');
}

export const completionCommand = defineCommand<Input, Result>({
  name: 'completion',
  summary: 'print the completion script of a shell',
  arguments: [
    { name: 'shell', description: 'bash, zsh or fish', completes: SHELLS },
    {
      name: 'words',
      description: 'behind --, the line so far: print what may follow, as the script asks',
      rest: 'list',
      optional: true,
    },
  ],
  examples: [
    ['ctx completion bash >>~/.bash_completion', 'completion in bash from the next start on'],
    ['ctx completion fish >~/.config/fish/completions/ctx.fish', 'completion in fish'],
    ['ctx completion zsh -- log --', 'the options of ctx log, as zsh gets them'],
  ],
  mutates: false,
  input: (z) =>
    z.object({ shell: z.enum(SHELLS, 'The shell is bash, zsh or fish'), words: z.optional(z.array(z.string())) }),
  run,
  verbatim: (result) => ('script' in result ? result.script : null),
  render,
});
