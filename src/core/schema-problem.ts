/** Words what a schema finds wrong with a value, in one line. */
import type { core } from 'zod/mini';

/** Words what is wrong with a value and where, in one line. A message that names the place itself is the whole line. */
export function firstProblem(error: core.$ZodError): string {
  const first = error.issues[0];
  if (!first) return 'it has the wrong shape';
  const issue = first.code === 'invalid_union' ? inUnion(first) : first;
  const where = issue.path.map(String).join('.');
  if (where === '' || issue.message.startsWith('-')) return issue.message;
  return issue.message.startsWith('takes ') ? `${where} ${issue.message}` : `"${where}": ${wanted(issue)}`;
}

/** Keys by which the members of a union of ctx are distinguished, in the order in which they are looked at. */
const DISTINGUISHING = ['type', 'state'];

/** Finds what is wrong with the member of a union that a value means to be; if the value is none of them, the key that says so. */
function inUnion(issue: core.$ZodIssue): core.$ZodIssue {
  let members = membersOf(issue);
  for (const key of DISTINGUISHING) {
    const others = members.flatMap((issues) => issues.filter(({ path }) => path.length === 1 && path[0] === key));
    const meant = members.filter((issues) => !issues.some((one) => others.includes(one)));
    if (meant.length > 0) members = meant;
    else if (others.length > 0) return { ...issue, path: [...issue.path, key], message: anyOf(others), code: 'custom' };
  }
  const [first, ...more] = members.flatMap(([one]) => one ?? []);
  const isClear = more.every((one) => first?.code === 'invalid_type' && one.code === first.code);
  return first && isClear ? { ...first, path: [...issue.path, ...first.path] } : issue;
}

/** Returns what is wrong for each member of a union, and of the unions among its members. */
function membersOf(issue: core.$ZodIssue): core.$ZodIssue[][] {
  if (issue.code !== 'invalid_union') return [[issue]];
  return issue.errors.flatMap((issues) => {
    const [first] = issues;
    return first?.code === 'invalid_union' && first.path.length === 0 ? membersOf(first) : [issues];
  });
}

function anyOf(issues: readonly core.$ZodIssue[]): string {
  const names = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values.map(String) : ['data-…']));
  return `must be one of ${[...new Set(names)].join(', ')}`;
}

/** Words what was wanted, of which the library says no more than that the value is not that. */
function wanted(issue: core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `must be ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_union') return 'is missing, or of a type that is not taken';
  if (issue.code === 'too_small') return 'must not be empty, or is too small';
  return issue.message;
}
