/** Records of a tool's actions, from the payload of an agent's hook. */
import type { ToolRecord } from '../../core/session/hook-event.ts';

/** Returns a path from the folder that the agent works in; it is normalised after its secrets are removed. */
function absolute(path: string, cwd: string | undefined): string {
  if (/^([/\\]|[A-Za-z]:)/.test(path) || cwd === undefined || cwd === '') return path;
  return `${cwd}/${path}`;
}

/** Returns the record of a file that was read or written. @param content the whole content, if it is known */
export function fileRecord(
  kind: 'read' | 'write',
  path: string | undefined,
  cwd: string | undefined,
  content?: string | undefined,
): ToolRecord[] {
  if (!path) return [];
  const body = { kind, path: absolute(path, cwd) };
  return [content === undefined ? { body } : { body, content: Buffer.from(content) }];
}

/** Returns the record of a command that ran. @param exit_code null if it is unknown */
export function commandRecord(command: string | undefined, exit_code: number | null, output: string): ToolRecord[] {
  return !command?.trim() ? [] : [{ body: { kind: 'command', command, exit_code, output } }];
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
