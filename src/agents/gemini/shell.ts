/** What Gemini CLI tells the model of a command that it ran: output, exit code, and lines about the process. */

/** How a command went; the code is null where it is not told. */
export interface Ran {
  exit_code: number | null;
  output: string;
  /** Whether the result tells that it ran: it has the output in its place, or an exit code. */
  isTold: boolean;
}

const LABEL = /^(Error|Exit Code|Signal|Background PIDs|Process Group PGID): (.*)$/;
const HEAD = /^(Command: [\s\S]*?\nDirectory: [^\n]*\n)?(?:Output|Stdout): ([\s\S]*)$/;

/** The labelled lines at the end of a text, and what stands before them. */
function labelsOf(text: string): { labels: Map<string, string>; before: string } {
  const lines = text.split('\n');
  const labels = new Map<string, string>();
  for (let last = LABEL.exec(lines.at(-1) ?? ''); last; last = LABEL.exec(lines.at(-1) ?? '')) {
    labels.set(last[1] ?? '', last[2] ?? '');
    lines.pop();
  }
  return { labels, before: lines.join('\n') };
}

function exitCode(labels: ReadonlyMap<string, string>, isBrief: boolean): number | null {
  const told = labels.get('Exit Code');
  if (told !== undefined) return /^-?\d{1,10}$/.test(told) ? Number(told) : null;
  // The brief form names a code only where it is not 0; what was killed or still runs has none.
  const isOrdinary = ['Error', 'Signal', 'Background PIDs'].every((label) => !labels.has(label));
  return isBrief && isOrdinary ? 0 : null;
}

/** What hooks of others have told the model behind a result, as the program puts it there. */
const TOLD_BY_HOOKS = /(?:\n\n<hook_context>[^<]*<\/hook_context>)+$/;

/** Reads the result of a command. */
export function ranOf(given: string): Ran {
  const result = given.endsWith('</hook_context>') ? given.replace(TOLD_BY_HOOKS, '') : given;
  const text = result.replace(/^<untrusted_context>\n?([\s\S]*?)\n?<\/untrusted_context>\s*$/, '$1').trimEnd();
  const { labels, before } = labelsOf(text);
  const [, head, told] = HEAD.exec(before) ?? [];
  if (told === undefined)
    return { exit_code: exitCode(labels, false), output: result, isTold: labels.has('Exit Code') };
  const [stdout = '', stderr = ''] = head === undefined ? [told] : told.split('\nStderr: ');
  const output = [stdout, stderr].filter((stream) => stream !== '' && stream !== '(empty)').join('\n');
  return { exit_code: exitCode(labels, head === undefined), output, isTold: true };
}
