/** The commands that ctx puts into agents, `/ctx-stop` and `/ctx-resume`: their texts, and how they are recognised in a conversation. */

export type OwnCommand = 'ctx-stop' | 'ctx-resume';

export const OWN_COMMANDS: readonly OwnCommand[] = ['ctx-stop', 'ctx-resume'];

/** Form of an agent's file of a command. */
export interface CommandForm {
  form: 'markdown' | 'toml';
  /** The placeholder of the words behind the command. */
  args: string;
}

/** Purpose of each command, and the words that may follow it. */
const ABOUT: Record<OwnCommand, { description: string; hint: string }> = {
  'ctx-stop': { description: 'Save this conversation with ctx, and pause it', hint: '[where the work stopped]' },
  'ctx-resume': { description: 'Continue an earlier session that ctx has kept', hint: '[number, id or words of it]' },
};

const opening = (name: string): string => `This is the command /${name} of ctx, the memory of this project.`;

/** @param line the command line of ctx */
function bodyOf(name: OwnCommand, line: string, args: string): string {
  if (name === 'ctx-stop')
    return `${opening(name)}

The user saves this conversation and pauses it. What they say about where the work stopped: ${args}

Run this once, with their words, or else where the work stopped in one or two sentences of your own, in place of SUMMARY, quoted for the shell:

${line} stop 'SUMMARY'

Then show the user what it has printed, word for word, and end your turn. Do nothing else.
`;
  return `${opening(name)}

The user continues an earlier session in this conversation. Which one they mean: ${args}

If nothing is named there, run this, show the user what it has printed, and ask which one they mean:

${line} resume --list

Else run this, with what they have named, quoted for the shell, in place of SESSION:

${line} resume --no-launch 'SESSION'

It prints the context of the session: continue as its end asks you to. If it prints a list, show the list and ask which one is meant.
`;
}

const tomlText = (text: string): string => `"""\n${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"""`;

/** Returns the file of a command. @param line the command line of ctx, as a shell takes it */
export function commandFile(name: OwnCommand, line: string, { form, args }: CommandForm): string {
  const { description, hint } = ABOUT[name];
  const body = bodyOf(name, line, args);
  return form === 'toml'
    ? `description = "${description}"\nprompt = ${tomlText(body)}\n`
    : `---\ndescription: ${description}\nargument-hint: "${hint}"\n---\n\n${body}`;
}

/** A command as it is typed, as Claude Code writes it down, and as the text that an agent makes of it. */
const NAMED =
  /^\s*(?:\/(?:[a-z]+:)?(ctx-stop|ctx-resume)(?=\s|$)|<command-(?:message|name)>\/?(ctx-stop|ctx-resume)<|This is the command \/(ctx-stop|ctx-resume) of ctx,)/;

/** Returns the command of ctx that a prompt is; null if it is none. */
export function ownCommandIn(text: string): OwnCommand | null {
  const [, typed, written, made] = NAMED.exec(text) ?? [];
  return (typed ?? written ?? made ?? null) as OwnCommand | null;
}
