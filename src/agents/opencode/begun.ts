/** The input of a call that is not complete yet: it is no JSON then. */
import type { JsonObject } from '../../core/json.ts';
import { isSecretPath } from '../../secrets/index.ts';

/** The input of a call as far as it is written, with the path beside it of a file known to hold secrets: it is no JSON yet that tells it. */
export function begun(raw: string): JsonObject {
  const [, path] = /"(?:filePath|path)"\s*:\s*"([^"\\]+)"/.exec(raw) ?? [];
  if (raw === '') return {};
  return path !== undefined && isSecretPath(path) ? { raw, path } : { raw };
}
