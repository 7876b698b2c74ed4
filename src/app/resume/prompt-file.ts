/** Looks at the file that a session's system prompt came from: it may have changed since. */
import { isAbsolute, resolve } from 'node:path';
import type { Session } from '../../core/session/session.ts';
import { readIfThere } from '../../platform/files.ts';
import { sha256 } from '../../platform/hash.ts';

/** A system prompt: the SHA-256 of its text, and the file that it came from, below the project if it lies there. */
export type SystemPrompt = NonNullable<Session['system_prompt']>;

/** Largest file that counts as a prompt, in bytes. */
const PROMPT_LIMIT = 1024 * 1024;

/** Hashes a file with a prompt; null if there is none, or it cannot be read. */
export function hashOfPrompt(project: string, path: string): string | null {
  try {
    const content = readIfThere(isAbsolute(path) ? path : resolve(project, path));
    return content === undefined || content.length > PROMPT_LIMIT ? null : sha256(content);
  } catch {
    return null;
  }
}

/** Change of the prompt that a session had. */
export type PromptChange = 'same' | 'changed' | 'gone' | 'unknown';

/** Compares the prompt of a session with its file as it is now. */
export function promptChange(project: string, prompt: SystemPrompt | undefined): PromptChange {
  if (prompt?.path === undefined) return 'unknown';
  const now = hashOfPrompt(project, prompt.path);
  if (now === null) return 'gone';
  return now === prompt.sha256 ? 'same' : 'changed';
}
