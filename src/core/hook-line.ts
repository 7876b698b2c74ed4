/** The command line that ctx writes into an agent's settings, and how it is known again. */

export interface HookLine {
  /** Path of the node that runs ctx now. */
  node: string;
  /** Path of this package's `dist/ctx.cjs`. */
  program: string;
  agent: string;
}

/** A word for the shell; fish reads it the same. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * One line for whichever shell the agent takes: it starts a plain one of its own. It ends with 0 and says nothing even where
 * node or ctx is gone, and then it takes what it is told all the same: an agent minds a pipe that breaks. A node that has
 * moved, as version managers move it, is looked for on PATH. An extra certificate file would triple the start of Node 20,
 * and ctx opens no connection.
 */
export function hookLine({ node, program, agent }: HookLine): string {
  const find = 'n=$0; [ -x "$n" ] || n=node';
  const run = 'NODE_EXTRA_CA_CERTS= "$n" "$@" 2>/dev/null || cat >/dev/null 2>&1';
  return `/bin/sh -c '${find}; ${run}; exit 0' ${quoted(node)} ${quoted(program)} hook ${agent}`;
}

/** Whether a command line calls ctx as a hook, from wherever and in whatever form an earlier version wrote it. */
export const isHookLine = (command: string): boolean => /[\\/]ctx\.cjs(?:'|\\?")?\s+hook\s+[a-z]/.test(command);
