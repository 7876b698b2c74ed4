/** The result of a command in Gemini CLI's words for the model: output, exit code, and lines about the process. */

/** The outcome of a command; the code is null if it is unknown. */
export interface CommandResult {
  exit_code: number | null;
  output: string;
  /** True if the result shows that it ran: it has output, or an exit code. */
  hasRun: boolean;
}

const LABEL = /^(Error|Exit Code|Signal|Background PIDs|Process Group PGID): (.*)$/;
const HEAD = /^(Command: [\s\S]*?\nDirectory: [^\n]*\n)?(?:Output|Stdout): ([\s\S]*)$/;

/** Returns the labelled lines at the end of a text, and the text before them. */
function labelsOf(text: string): { labels: Map<string, string>; before: string } {
  const labels = new Map<string, string>();
  for (let before = text; ; ) {
    const start = before.lastIndexOf('\n');
    const [found, label = '', value = ''] = LABEL.exec(before.slice(start + 1)) ?? [];
    if (found === undefined) return { labels, before };
    labels.set(label, value);
    if (start < 0) return { labels, before: '' };
    before = before.slice(0, start);
  }
}

function exitCode(labels: ReadonlyMap<string, string>, isBrief: boolean): number | null {
  const told = labels.get('Exit Code');
  if (told !== undefined) return /^-?\d{1,10}$/.test(told) ? Number(told) : null;
  // The brief form names a code only if it is not 0; a command that was killed or still runs has none.
  const isOrdinary = ['Error', 'Signal', 'Background PIDs'].every((label) => !labels.has(label));
  return isBrief && isOrdinary ? 0 : null;
}

/** The texts of other hooks for the model, which the program puts after a result. */
const HOOK_CONTEXTS = /(?:\n\n<hook_context>[^<]*<\/hook_context>)+$/;

/** Reads the result of a command. */
export function readCommandResult(given: string): CommandResult {
  const result = given.endsWith('</hook_context>') ? given.replace(HOOK_CONTEXTS, '') : given;
  const text = result.replace(/^<untrusted_context>\n?([\s\S]*?)\n?<\/untrusted_context>\s*$/, '$1').trimEnd();
  const { labels, before } = labelsOf(text);
  const [, head, told] = HEAD.exec(before) ?? [];
  if (told === undefined)
    return { exit_code: exitCode(labels, false), output: result, hasRun: labels.has('Exit Code') };
  const [stdout = '', stderr = ''] = head === undefined ? [told] : told.split('\nStderr: ');
  const output = [stdout, stderr].filter((stream) => stream !== '' && stream !== '(empty)').join('\n');
  return { exit_code: exitCode(labels, head === undefined), output, hasRun: true };
}
