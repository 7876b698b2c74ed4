/** The file of a plan: signed with the key of the store, and accepted as a whole or not at all. */
import { CtxError, damaged, notJson } from '../../core/errors.ts';
import { isObject, type JsonValue } from '../../core/json.ts';
import { isRealPath, isRefName } from '../../core/ref-name.ts';
import { isSessionId } from '../names/layout.ts';
import { isMove } from '../operations/operation.ts';
import { keyedHash, secretKeyIfThere } from '../store/secret-key.ts';
import { isLeftAlone, isReflog } from './file-owner.ts';
import type { Plan } from './planned.ts';

type Store = Parameters<typeof keyedHash>[0];

const OPENING = /^\{"hmac":"([0-9a-f]{64})",/;
const WHERE = 'forgetting/plan.json';
const HINT =
  'Nothing of it was followed. ctx fsck --repair sets it aside; what was to be forgotten must be forgotten again.';

const seal = (store: Store, rest: string): string => keyedHash(store, `forgetting\0${rest}`);

/** Largest plan, in bytes: one of more than a million objects. */
export const PLAN_LIMIT = 64 * 1024 * 1024;

/** Encodes a plan. @throws {CtxError} invalid_input, if it is larger than the limit */
export function encodePlan(store: Store, plan: Plan): string {
  const rest = JSON.stringify(plan).slice(1);
  const text = `{"hmac":"${seal(store, rest)}",${rest}\n`;
  if (Buffer.byteLength(text) <= PLAN_LIMIT) return text;
  throw new CtxError('invalid_input', 'This is more than ctx can forget at once.', {
    hint: 'Nothing was changed. Forget it in parts, such as one session after the other.',
  });
}

/** Decodes a plan. @throws {CtxError} damaged, if it was not made in this store, or has an invalid field */
export function decodePlan(store: Store, text: string): Plan {
  const opening = OPENING.exec(text);
  const rest = text.slice(opening?.[0].length ?? 0).replace(/\n$/, '');
  // Without a key nothing was signed here, and reading must not make one.
  if (secretKeyIfThere(store) === null || opening === null || opening[1] !== seal(store, rest))
    throw damaged(WHERE, 'it was not made in this store', { hint: HINT });
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw notJson(WHERE, cause, HINT);
  }
  const wrong = wrongIn(value);
  if (wrong !== null) throw damaged(WHERE, `its ${wrong} cannot be`, { hint: HINT });
  return value as unknown as Plan;
}

/** Refuses a plan that could not be decoded again. @throws {CtxError} damaged */
export function checkPlan(plan: Plan): void {
  const wrong = wrongIn(plan as unknown as JsonValue);
  if (wrong !== null) throw damaged('store', `the ${wrong} of the plan would lead elsewhere`);
}

const isOid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value);
const isListOf = (value: unknown, fits: (item: JsonValue) => boolean): boolean =>
  Array.isArray(value) && value.every(fits);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isUuid = (value: unknown): boolean => typeof value === 'string' && UUID.test(value);

/** Returns the first invalid field, or null: its values become names of files and refs. */
function wrongIn(plan: JsonValue): string | null {
  if (!isObject(plan) || plan.version !== 1) return 'version';
  const fields: Record<string, boolean> = {
    id: isUuid(plan.id),
    at: Number.isSafeInteger(plan.at),
    refs: isListOf(plan.refs, (move) => isObject(move) && isRefName(move.ref) && isOid(move.old) && isOid(move.new)),
    packed: isListOf(plan.packed, (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isOid)),
    ends: isListOf(plan.ends, isMove),
    files: isListOf(plan.files, isStagedName),
    remove: isListOf(plan.remove, isRemovedName),
    // Plans of an older ctx have none.
    folders: plan.folders === undefined || isListOf(plan.folders, isRealPath),
    objects: isListOf(plan.objects, isOid),
  };
  return Object.keys(fields).find((name) => !fields[name]) ?? null;
}

const SEGMENT = /^oplog\/segments\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/;

/** Returns whether a plan may publish a file of this name. */
function isStagedName(name: JsonValue): boolean {
  if (typeof name !== 'string' || !isRealPath(name)) return false;
  if (name === 'forgotten.json' || name === 'oplog/newest.json' || isReflog(name)) return true;
  if (SEGMENT.test(name)) return true;
  const [folder, ...inside] = name.split('/');
  const last = inside.pop() ?? '';
  if (folder === 'pending' && inside[1] === 'objects')
    return inside.length === 2 && isSessionId(inside[0] as string) && isOid(last);
  if (!last.endsWith('.json') || !isUuid(last.slice(0, -'.json'.length))) return false;
  if (folder === 'oplog') return inside.length === 0;
  return folder === 'pending' && inside.length === 1 && isSessionId(inside[0] as string);
}

/** Returns whether a plan may remove a file of this name. */
function isRemovedName(name: JsonValue): boolean {
  if (typeof name !== 'string' || !isRealPath(name)) return false;
  return name.startsWith('pending/') || !isLeftAlone(name);
}
