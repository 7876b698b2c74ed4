/** The rules of a project and of a manifest: files of rules, which a person may write, too. */
import { CtxError } from '../../core/errors.ts';
import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import { RULES_LIMIT, type Rule, type RuleScope, readRules } from '../../core/permission/rule.ts';
import type { Repository } from '../../history/store/repository.ts';
import { isTrusted } from '../../history/store/trust.ts';
import { DOCUMENT_LIMIT, readIfThere, writeDurably } from '../../platform/files.ts';

/** The version of the files that this ctx writes, and the newest it reads. */
const VERSION = 1;

/** Longest wait for Git's answer whether it tracks the file, in milliseconds. */
const TRUST_TIME = 1000;

const TAKES =
  'It holds {"version": 1, "rules": [{"verdict": "allow", "rule": "Bash(npm test *)"}]}; verdicts are allow, ask and deny, "pin": true pins.';

/** A file of rules: the rules, and all else in it. */
interface RulesFile {
  rules: Rule[];
  rest: JsonObject;
}

/** Reads a file of rules; without rules if there is none. @throws {CtxError} invalid_settings, io */
function readFile(path: string, isNeeded: boolean): RulesFile {
  const content = readIfThere(path, DOCUMENT_LIMIT);
  if (content === undefined && isNeeded) throw new CtxError('not_found', `There is no file ${path}.`, { hint: TAKES });
  if (content === undefined) return { rules: [], rest: {} };
  const refuse = (why: string): CtxError =>
    new CtxError('invalid_settings', `The rules in ${path} cannot be read: ${why}.`, { hint: TAKES });
  let value: unknown;
  try {
    value = parseJson(content.toString('utf8'));
  } catch {
    throw refuse('it is no JSON');
  }
  if (!isObject(value)) throw refuse('it is no object');
  const { version, rules: list, ...rest } = value;
  if (version !== VERSION) throw refuse(`its version is ${JSON.stringify(version) ?? 'absent'}, and not ${VERSION}`);
  const { rules, wrong } = readRules(list);
  if (wrong === RULES_LIMIT) throw refuse(`"rules" is no list of at most ${RULES_LIMIT}`);
  // To leave out a rule that denies would allow more than its author wants.
  if (wrong !== null) throw refuse(`rule ${wrong + 1} is none`);
  return { rules, rest };
}

/** Reads the rules of an agent's author. @throws {CtxError} not_found, invalid_settings, io */
export const manifestRules = (path: string): Rule[] => readFile(path, true).rules;

/** The rules of a project. */
export interface ProjectRules {
  rules: Rule[];
  /** Rules that allow something and do not count, since the store is not trusted. */
  ignored: Rule[];
}

/** Reads the rules of the project of a store. @throws {CtxError} invalid_settings, io */
export function projectRules(repository: Repository): ProjectRules {
  const { permissions } = repository.layout;
  const { rules } = readFile(permissions, false);
  const isAllowing = ({ verdict }: Rule): boolean => verdict === 'allow';
  if (!rules.some(isAllowing) || isTrusted(repository, permissions, TRUST_TIME)) return { rules, ignored: [] };
  return { rules: rules.filter((rule) => !isAllowing(rule)), ignored: rules.filter(isAllowing) };
}

/** Changes the rules of the project, under LOCK. @throws {CtxError} invalid_settings, io */
export function changeProjectRules(repository: Repository, change: (rules: readonly Rule[]) => readonly Rule[]): void {
  const path = repository.layout.permissions;
  const { rules, rest } = readFile(path, false);
  const text = `${JSON.stringify({ ...rest, version: VERSION, rules: change(rules) }, null, 2)}\n`;
  writeDurably(path, `${path}.${repository.ids()}.tmp`, text, repository.durability);
}

/** Names the scope of rules in a message. */
export const scopeInWords: Readonly<Record<RuleScope, string>> = {
  manifest: 'the manifest',
  project: 'this project',
  session: 'the session',
};
