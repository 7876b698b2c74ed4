/** `ctx permission check`: the verdict of the rules on one use of a tool. */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { type Decision, decide } from '../../core/permission/decide.ts';
import { type ScopedRule, stricter } from '../../core/permission/rule.ts';
import type { Repository } from '../../history/store/repository.ts';
import { listRules, type RuleSources } from './rules.ts';

export interface CheckResult extends Decision {
  tool: string;
  /** Rules of the project that allow something, and do not count: the store is not trusted. */
  ignored: ScopedRule[];
}

export interface CheckOptions extends RuleSources {
  /** The folder that the tool works in; the project's if absent. */
  directory?: string | undefined;
  /** The user's home, for `~/`. */
  home?: string | undefined;
}

/**
 * Decides on one use of a tool.
 * @param input as the agent passes it to the tool
 * @throws {CtxError} not_found, invalid_settings, io, damaged
 */
export function checkPermission(
  repository: Repository,
  tool: string,
  input: JsonValue,
  { directory, home, ...sources }: CheckOptions = {},
): CheckResult {
  const { rules, ignored } = listRules(repository, sources);
  const root = repository.project;
  const around = { root, home: home ?? null };
  const given = fromRoot(input, root, directory ?? root);
  const decision = decide(rules, tool, given, around);
  const real = withRealPaths(given, root);
  // A link in the project may lead out of it.
  const other = real === null ? decision : decide(rules, tool, real, { ...around, root: realOf(root) });
  return { tool, ...(stricter(decision.verdict, other.verdict) === decision.verdict ? decision : other), ignored };
}

const PATH_KEYS = ['file_path', 'path', 'absolute_path', 'abs_path', 'filePath', 'notebook_path', 'target_file'];

const mapPaths = (input: JsonValue, map: (path: string) => string): JsonValue => {
  if (!isObject(input)) return input;
  const changed = PATH_KEYS.flatMap((key) => {
    const value = input[key];
    return typeof value === 'string' && value !== '' ? [[key, map(value)] as const] : [];
  });
  return { ...input, ...(Object.fromEntries(changed) as JsonObject) };
};

/** Returns the input with paths from the root of the project, if the tool works in another folder. */
const fromRoot = (input: JsonValue, root: string, directory: string): JsonValue =>
  resolve(directory) === resolve(root)
    ? input
    : mapPaths(input, (path) =>
        isAbsolute(path) || path.startsWith('~') ? path : relative(root, resolve(directory, path)) || '.',
      );

/** Returns the input with every link of its paths resolved; null if there is none. */
function withRealPaths(input: JsonValue, root: string): JsonValue | null {
  const real = mapPaths(input, (path) => (path.startsWith('~') ? path : realOf(resolve(root, path))));
  const plain = mapPaths(input, (path) => (path.startsWith('~') ? path : resolve(root, path)));
  return JSON.stringify(real) === JSON.stringify(plain) ? null : real;
}

/** Resolves the links of a path as far as it exists. */
function realOf(path: string): string {
  for (let [at, rest] = [path, '']; ; ) {
    try {
      return join(realpathSync(at), rest);
    } catch {
      const parent = dirname(at);
      if (parent === at) return path;
      rest = join(at.slice(parent.length), rest);
      at = parent;
    }
  }
}
