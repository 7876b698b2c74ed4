/** The input of a call that is incomplete, and so is no JSON yet. */
import type { JsonObject } from '../../core/json.ts';
import { isSecretPath } from '../../secrets/index.ts';

/** Returns the input of a call so far, with the path of a file known to hold secrets, since the input is no JSON that contains it. */
export function incompleteInput(raw: string): JsonObject {
  const [, path] = /"(?:filePath|path)"\s*:\s*"([^"\\]+)"/.exec(raw) ?? [];
  if (raw === '') return {};
  return path !== undefined && isSecretPath(path) ? { raw, path } : { raw };
}
