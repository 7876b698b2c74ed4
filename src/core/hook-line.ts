/** The command line that ctx writes into an agent's settings, and how it is known again. */

export interface HookLine {
  /** Path of the node that runs ctx now. */
  node: string;
  /** Path of this package's `dist/ctx.cjs`. */
  program: string;
  agent: string;
  /** True if ctx answers the agent's questions for permissions by the rules. */
  permissions?: boolean | undefined;
}

/** A word for the shell; fish reads it the same. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Returns the command line of ctx itself, which an agent runs in its shell. */
export const programLine = ({ node, program }: Omit<HookLine, 'agent'>): string => `${quoted(node)} ${quoted(program)}`;

/**
 * Returns the command line of a hook. It starts `/bin/sh`, so that it works in every shell that an agent may use. It exits with 0
 * and prints nothing even if node or ctx was removed, and then it still reads its input: some agents fail on a broken pipe. If node
 * was moved, as version managers do, it is looked up in PATH. NODE_EXTRA_CA_CERTS is unset because an extra certificate file would
 * triple the start time of Node 20, and ctx opens no connection.
 */
export function hookLine({ node, program, agent, permissions }: HookLine): string {
  const find = 'n=$0; [ -x "$n" ] || n=node';
  const run = 'NODE_EXTRA_CA_CERTS= "$n" "$@" 2>/dev/null || cat >/dev/null 2>&1';
  return `/bin/sh -c '${find}; ${run}; exit 0' ${quoted(node)} ${quoted(program)} hook ${agent}${permissions ? ' --permissions' : ''}`;
}

/** Checks if a text has a line that answers by the rules. */
export const hasPermissions = (text: string): boolean =>
  /[\\/]ctx\.cjs(?:'|\\?")?\s+hook\s+[a-z-]+ --permissions/.test(text);

/** Checks if a command line calls ctx as a hook, from any folder and in any form that an earlier version wrote. */
export const isHookLine = (command: string): boolean => /[\\/]ctx\.cjs(?:'|\\?")?\s+hook\s+[a-z]/.test(command);
