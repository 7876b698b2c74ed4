/** Commands: the line that was run, and what their results tell: output, exit code, duration, whether they still run. */
import { type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import { readValue } from '../shared/lines.ts';

/** How a command went. */
export interface Ran {
  /** Null where it is not told. */
  exit_code: number | null;
  output: string;
  duration_ms: number | undefined;
  /** The session that it goes on in, where it still runs. */
  session: string | undefined;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command as it would be typed: a script that a shell was given, or the words with quotes where they need them. */
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

/** Where the input of each tool that runs commands has the command. */
const TOOLS: Record<string, string> = {
  shell: 'command',
  'container.exec': 'command',
  shell_command: 'command',
  local_shell: 'command',
  exec_command: 'cmd',
};

/** The command line that a call runs; undefined where it runs none. */
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

/** `{"output": …, "metadata": {"exit_code", "duration_seconds"}}`, as older versions write it. */
function ranOfObject(told: JsonObject): Ran | null {
  const output = textOf(told['output']);
  const metadata = objectOf(told['metadata']);
  if (output === undefined || !metadata) return null;
  const duration_ms = milliseconds(numberOf(metadata['duration_seconds']));
  return { exit_code: exitCode(numberOf(metadata['exit_code'])), output, duration_ms, session: undefined };
}

/** A head of lines such as `Exit code: 0` and `Wall time: 0.1 seconds`, then `Output:` and the output. */
function ranOfHead(text: string): Ran | null {
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

/** What the result of a call tells of the command that it ran. */
export function ranOf(text: string): Ran {
  const told = text.startsWith('{') ? objectOf(readValue(text)) : undefined;
  const plain: Ran = { exit_code: null, output: text, duration_ms: undefined, session: undefined };
  return (told && ranOfObject(told)) ?? ranOfHead(text) ?? plain;
}

/** What Codex tells when a command has ended: `exec_command_end`, or an item `CommandExecution`. */
export function ranOfEnd(end: JsonObject): Ran {
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
