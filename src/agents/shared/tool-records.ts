/** Records of what tools did: files read, written and deleted, commands run, plans. */
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { changedLines } from './changed-lines.ts';

/** Returns the absolute path of a path that the agent wrote; it is normalised after its secrets are removed. */
export function absolute(path: string, cwd: string | undefined): string {
  const plain = path.replace(/^file:\/\/(?=\/)/, '');
  if (/^([/\\~]|[A-Za-z]:)/.test(plain) || cwd === undefined || cwd === '') return plain;
  return `${cwd}/${plain}`;
}

function fileRecord(
  kind: 'read' | 'write' | 'delete',
  path: string | undefined,
  cwd: string | undefined,
  text?: string,
): ToolRecord[] {
  if (!path) return [];
  const body = { kind, path: absolute(path, cwd) };
  return [text === undefined ? { body } : { body, content: Buffer.from(text) }];
}

/** Returns the record of a file that was read, with its whole text if the transcript has that; none without a path. */
export function recordRead(path: string | undefined, cwd: string | undefined, text?: string): ToolRecord[] {
  return fileRecord('read', path, cwd, text);
}

/**
 * Returns the record of a file that was written, with its whole text if the transcript has that; if the transcript has the text
 * before it, too, the record names the lines that were written.
 */
export function recordWrite(
  path: string | undefined,
  cwd: string | undefined,
  text?: string,
  before?: string,
): ToolRecord[] {
  const records = fileRecord('write', path, cwd, text);
  const lines = text === undefined || !before ? undefined : changedLines(before, text);
  return lines ? records.map(({ body, ...rest }) => ({ ...rest, body: { ...body, written_lines: lines } })) : records;
}

/** Returns the record of a file that was deleted. */
export function recordDelete(path: string | undefined, cwd: string | undefined): ToolRecord[] {
  return fileRecord('delete', path, cwd);
}

/** Returns the record of a command that ran; its exit code is null if it is unknown. */
export function recordCommand(
  command: string | undefined,
  exit_code: number | null | undefined,
  output: string,
  duration_ms?: number | undefined,
): ToolRecord[] {
  if (!command?.trim()) return [];
  const code = Number.isSafeInteger(exit_code) ? exit_code : null;
  const duration = duration_ms === undefined ? {} : { duration_ms };
  return [{ body: { kind: 'command', command, exit_code: code, output, ...duration } }];
}

/**
 * Returns a list of steps with their states as a plan; none if there are no steps.
 * @param more the marks of other states
 */
export function planRecord(
  steps: readonly { text: string; status: unknown }[],
  more: Readonly<Record<string, string>> = {},
): ToolRecord[] {
  const marks: Record<string, string> = { completed: '[x]', in_progress: '[>]', ...more };
  const lines = steps.map(({ text, status }) => `- ${marks[String(status)] ?? '[ ]'} ${text}`);
  return lines.length > 0 ? [{ body: { kind: 'plan', content: lines.join('\n') } }] : [];
}
