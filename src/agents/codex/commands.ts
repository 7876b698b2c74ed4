/** Commands: the line that was run, and their results: output, exit code, duration, whether they still run. */
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { readValue } from '../shared/lines.ts';

/** The outcome of a command. */
export interface CommandResult {
  /** Null if it is unknown. */
  exit_code: number | null;
  output: string;
  duration_ms: number | undefined;
  /** The session in which it continues, if it still runs. */
  session: string | undefined;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Returns a command as it would be typed: the script of a shell, or the words with quotes if they need them. */
export function commandLine(command: JsonValue | undefined): string | undefined {
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || command.length === 0) return undefined;
  const words = command.map(String);
  const [shell = '', ...options] = words;
  const script = options.at(-1);
  const isShell = /(^|[/\\])(ba|z|da|k|fi)?sh(\.exe)?$|(^|[/\\])(powershell|pwsh)(\.exe)?$/i.test(shell);
  const flag = options.at(-2) ?? '';
  if (isShell && script !== undefined && /^-\w*c$|^-Command$/i.test(flag)) return script;
  return words.map(quoted).join(' ');
}

/** The key of the command in the input of each tool that runs commands. */
const TOOLS: Record<string, string> = {
  shell: 'command',
  'container.exec': 'command',
  shell_command: 'command',
  local_shell: 'command',
  exec_command: 'cmd',
};

/** Returns the command line that a call runs; undefined if it runs none. */
export function commandOf(name: string, input: JsonValue): string | undefined {
  const key = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  return key === undefined ? undefined : commandLine(objectOf(input)?.[key]);
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined || seconds < 0 ? undefined : Math.round(seconds * 1000);
}

function exitCode(value: number | undefined): number | null {
  return value !== undefined && Number.isSafeInteger(value) ? value : null;
}

/** Reads `{"output": …, "metadata": {"exit_code", "duration_seconds"}}`, as older versions write it. */
function resultOfObject(told: JsonObject): CommandResult | null {
  const output = textOf(told['output']);
  const metadata = objectOf(told['metadata']);
  if (output === undefined || !metadata) return null;
  const duration_ms = milliseconds(numberOf(metadata['duration_seconds']));
  return { exit_code: exitCode(numberOf(metadata['exit_code'])), output, duration_ms, session: undefined };
}

/** Reads a head of lines such as `Exit code: 0` and `Wall time: 0.1 seconds`, then `Output:` and the output. */
function resultOfHead(text: string): CommandResult | null {
  if (!/^(Command|Chunk ID|Exit code|Wall time):/.test(text)) return null;
  const start = /^Output:(\n|$)/m.exec(text);
  if (!start) return null;
  const head = text.slice(0, start.index);
  const code = /^(?:Exit code:|Process exited with code) (-?\d{1,12})$/m.exec(head)?.[1];
  const seconds = /^Wall time: ([\d.]{1,20}) seconds?$/m.exec(head)?.[1];
  return {
    exit_code: exitCode(code === undefined ? undefined : Number(code)),
    output: text.slice(start.index + start[0].length),
    duration_ms: milliseconds(seconds === undefined ? undefined : numberOf(Number(seconds))),
    session: /^Process running with session ID (\S+)$/m.exec(head)?.[1],
  };
}

/** Reads the result of a call that ran a command. */
export function readCommandResult(text: string): CommandResult {
  const told = text.startsWith('{') ? objectOf(readValue(text)) : undefined;
  const plain: CommandResult = { exit_code: null, output: text, duration_ms: undefined, session: undefined };
  return (told && resultOfObject(told)) ?? resultOfHead(text) ?? plain;
}

/** Reads the end of a command: `exec_command_end`, or an item `CommandExecution`. */
export function readCommandEnd(end: JsonObject): CommandResult {
  const duration = objectOf(end['duration']);
  const seconds = numberOf(duration?.['secs']);
  const nanoseconds = numberOf(duration?.['nanos']) ?? 0;
  const streams = [textOf(end['stdout']), textOf(end['stderr'])].filter((stream) => stream);
  return {
    exit_code: exitCode(numberOf(end['exit_code'])),
    output: textOf(end['aggregated_output']) ?? streams.join('\n'),
    duration_ms: milliseconds(seconds === undefined ? undefined : seconds + nanoseconds / 1e9),
    session: undefined,
  };
}
