/** Records of what calls did: files read, written and deleted, commands run. */
import type { ToolRecord } from '../../core/session/hook-event.ts';

/** A path as the agent meant it, from where it worked. It is tidied where its secrets are out of it. */
export function absolute(path: string, cwd: string | undefined): string {
  const plain = path.replace(/^file:\/\/(?=\/)/, '');
  if (/^([/\\~]|[A-Za-z]:)/.test(plain) || cwd === undefined || cwd === '') return plain;
  return `${cwd}/${plain}`;
}

function deed(
  kind: 'read' | 'write' | 'delete',
  path: string | undefined,
  cwd: string | undefined,
  text?: string,
): ToolRecord[] {
  if (!path) return [];
  const body = { kind, path: absolute(path, cwd) };
  return [text === undefined ? { body } : { body, content: Buffer.from(text) }];
}

/** A file that was read; `text` is all of it, where the transcript shows that. Nothing where no path is told. */
export function readDeed(path: string | undefined, cwd: string | undefined, text?: string): ToolRecord[] {
  return deed('read', path, cwd, text);
}

/** A file that was written; `text` is all of it, where the transcript shows that. */
export function writeDeed(path: string | undefined, cwd: string | undefined, text?: string): ToolRecord[] {
  return deed('write', path, cwd, text);
}

export function deleteDeed(path: string | undefined, cwd: string | undefined): ToolRecord[] {
  return deed('delete', path, cwd);
}

/** A command that ran; its exit code is null where it is not told. */
export function commandDeed(
  command: string | undefined,
  exit_code: number | null | undefined,
  output: string,
  duration_ms?: number,
): ToolRecord[] {
  if (!command) return [];
  const code = Number.isSafeInteger(exit_code) ? exit_code : null;
  const duration = duration_ms === undefined ? {} : { duration_ms };
  return [{ body: { kind: 'command', command, exit_code: code, output, ...duration } }];
}

/** A list of steps with their state, as a plan; nothing where there are none. */
export function planDeed(steps: readonly { text: string; status: unknown }[]): ToolRecord[] {
  const marks: Record<string, string> = { completed: '[x]', in_progress: '[>]' };
  const lines = steps.map(({ text, status }) => `- ${marks[String(status)] ?? '[ ]'} ${text}`);
  return lines.length > 0 ? [{ body: { kind: 'plan', content: lines.join('\n') } }] : [];
}
