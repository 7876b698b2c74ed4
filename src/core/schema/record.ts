/** The format of records: everything that ctx observes is one (zod). Unknown kinds and keys are carried, never dropped. */
import * as z from 'zod/mini';
import type { AnyBody, Bodies } from '../records/record.ts';
import { messageSchema, partSchema, usageSchema } from './message.ts';
import { sessionStateSchema } from './state.ts';

const text = z.string();
const filled = z.string().check(z.minLength(1));
const count = z.int().check(z.nonnegative());
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const objectId = z.string().check(z.regex(/^[0-9a-f]{40}$/));

export const NOTE_ROLES = ['question', 'response', 'intervention', 'confirmation', 'continuation', 'plain'] as const;
export const CONFIDENCES = ['high', 'medium', 'low'] as const;
export const RELATION_LABELS = [
  'Mentions',
  'Contains',
  'Defines',
  'Imports',
  'References',
  'Calls',
  'Implements',
  'UsesType',
  'DependsOn',
  'UpdatedIn',
  'DerivedFrom',
] as const;

/** A node of the graph of relations: `task:…`, `note:…`, `file:…`, `item:…`, `decision:…`. */
export const nodeSchema = z
  .string()
  .check(z.regex(/^(task|note|file|item|decision):[\s\S]+$/, 'takes task:…, note:…, file:…, item:… or decision:…'));

const file = {
  path: filled,
  /** Object id of the content, where the store keeps it. */
  blob: z.optional(objectId),
  bytes: z.optional(count),
  /** Of the content, where the store does not keep it. */
  sha256: z.optional(digest),
};

/** What the fields of each known kind are, without the envelope `version`, `id`, `at`. */
export const BODIES: { [Kind in keyof Bodies]: z.ZodMiniType<Bodies[Kind]> } = {
  task: z.looseObject({ kind: z.literal('task'), content: text }),
  note: z.looseObject({ kind: z.literal('note'), content: text, role: z._default(z.enum(NOTE_ROLES), 'plain') }),
  plan: z.looseObject({ kind: z.literal('plan'), content: text }),
  read: z.looseObject({ kind: z.literal('read'), ...file }),
  write: z.looseObject({ kind: z.literal('write'), ...file }),
  delete: z.looseObject({ kind: z.literal('delete'), path: filled }),
  command: z.looseObject({
    kind: z.literal('command'),
    command: text,
    exit_code: z.optional(z.nullable(z.int())),
    output: z.optional(text),
    duration_ms: z.optional(z.nullable(z.number().check(z.nonnegative()))),
  }),
  relation: z.looseObject({
    kind: z.literal('relation'),
    from: nodeSchema,
    label: z.enum(RELATION_LABELS, `takes one of ${RELATION_LABELS.join(', ')}`),
    to: nodeSchema,
    confidence: z._default(z.enum(CONFIDENCES), 'medium'),
    evidence: z.optional(text),
  }),
  message: z.looseObject({ kind: z.literal('message'), message: messageSchema }),
  part: z.looseObject({ kind: z.literal('part'), message_id: filled, part_id: filled, seq: count, part: partSchema }),
  overlay: z.looseObject({
    kind: z.literal('overlay'),
    op: z.enum(['hide', 'show', 'prune', 'unprune']),
    ids: z.optional(z.array(filled)),
    range: z.optional(z.looseObject({ from: filled, to: filled })),
    reason: z.optional(text),
  }),
  transition: z.looseObject({
    kind: z.literal('transition'),
    from: sessionStateSchema,
    to: sessionStateSchema,
    by: filled,
  }),
  usage: z.looseObject({ kind: z.literal('usage'), usage: usageSchema }),
  permission: z.looseObject({ kind: z.literal('permission') }),
};

export type RecordKind = keyof typeof BODIES;

/** A record of a kind that this version does not know. */
export const otherSchema = z.looseObject({ kind: filled });

/** The kinds that only ctx itself may write: they move the session. */
const OWN_KINDS: readonly string[] = ['task', 'transition'];

export type BodyCheck = { ok: true; body: AnyBody } | { ok: false; problem: string };

/** Says where in a value something is wrong, in one line. A message that names the place itself stands alone. */
export function firstProblem(error: z.core.$ZodError): string {
  const first = error.issues[0];
  if (!first) return 'it has the wrong shape';
  const issue = first.code === 'invalid_union' ? inUnion(first) : first;
  const where = issue.path.map(String).join('.');
  if (where === '' || issue.message.startsWith('-')) return issue.message;
  return issue.message.startsWith('takes ') ? `${where} ${issue.message}` : `"${where}": ${wanted(issue)}`;
}

/** Keys by which the members of our unions are told apart, in the order in which they are looked at. */
const TELLS_APART = ['type', 'state'];

/** What is wrong with the member of a union that a value means to be; where it is none of them, the key that says so. */
function inUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  let members = membersOf(issue);
  for (const key of TELLS_APART) {
    const others = members.flatMap((issues) => issues.filter(({ path }) => path.length === 1 && path[0] === key));
    const meant = members.filter((issues) => !issues.some((one) => others.includes(one)));
    if (meant.length > 0) members = meant;
    else if (others.length > 0) return { ...issue, path: [...issue.path, key], message: anyOf(others), code: 'custom' };
  }
  const [first, ...more] = members.flatMap(([one]) => one ?? []);
  const isClear = more.every((one) => first?.code === 'invalid_type' && one.code === first.code);
  return first && isClear ? { ...first, path: [...issue.path, ...first.path] } : issue;
}

/** What is wrong for each member of a union, and of the unions among them. */
function membersOf(issue: z.core.$ZodIssue): z.core.$ZodIssue[][] {
  if (issue.code !== 'invalid_union') return [[issue]];
  return issue.errors.flatMap((issues) => {
    const [first] = issues;
    return first?.code === 'invalid_union' && first.path.length === 0 ? membersOf(first) : [issues];
  });
}

function anyOf(issues: readonly z.core.$ZodIssue[]): string {
  const names = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : ['data-…']));
  return `must be one of ${[...new Set(names)].join(', ')}`;
}

/** What was wanted, where the library says no more than that it was not that. */
function wanted(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_union') return 'is missing, or of a type that is not taken';
  if (issue.code === 'too_small') return 'must not be empty, or is too small';
  return issue.message;
}

/** Checks the fields of a record that came from outside; an unknown kind passes with what it has. */
export function checkBody(value: unknown): BodyCheck {
  const other = otherSchema.safeParse(value);
  if (!other.success) return { ok: false, problem: 'it is not an object with a "kind"' };
  const kind = other.data.kind;
  if (OWN_KINDS.includes(kind)) return { ok: false, problem: `"${kind}" records are written by ctx alone` };
  if (!Object.hasOwn(BODIES, kind)) return { ok: true, body: value as AnyBody };
  const known = BODIES[kind as RecordKind].safeParse(value);
  if (!known.success) return { ok: false, problem: firstProblem(known.error) };
  // What was given stays as it was given; the schema only adds what has a default.
  return { ok: true, body: { ...known.data, ...(value as AnyBody) } as AnyBody };
}
