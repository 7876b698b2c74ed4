/** Records of what a tool did, as an agent's hook tells it. */
import type { ToolRecord } from '../../core/session/hook-event.ts';

/** A path from where the agent works; it is tidied where its secrets are out of it. */
function absolute(path: string, cwd: string | undefined): string {
  if (/^([/\\]|[A-Za-z]:)/.test(path) || cwd === undefined || cwd === '') return path;
  return `${cwd}/${path}`;
}

/** A file that was read or written. @param content all of it, where that is told */
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

/** A command that was run. @param exit_code null where it is not told */
export function commandRecord(command: string | undefined, exit_code: number | null, output: string): ToolRecord[] {
  return !command?.trim() ? [] : [{ body: { kind: 'command', command, exit_code, output } }];
}
