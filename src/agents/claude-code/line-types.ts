/** The types of lines that Claude Code writes, up to 2.1.330. */

/** Types beside the conversation: titles, states, copies of files, queued text; most have the id of their session. */
const BESIDE = [
  'summary custom-title ai-title tag relocated agent-name agent-color agent-setting ended-by-model task-summary',
  'file-history-snapshot file-history-delta attribution-snapshot worktree-state pr-link tools-used cost-state',
  'last-prompt continued-in resume-head-vouch content-replacement derived-from fork-context-ref frame-link',
  'api-request api-request-shape api-request-blob api-request-resumed data-flow-records data-flow-incomplete',
  'artifact-comment-monitor artifact-autoreact-ledger bridge-session history-suppression observer-ref host-row',
  'mode permission-mode isolation-latch session-owner dev-mods memory-mode atis-latch repl-mode hybrid-organization',
  'queue-operation speculation-accept context-collapse-commit context-collapse-snapshot',
].flatMap((line) => line.split(' '));

/** Types in the conversation, and in the journal of a workflow. */
const OF_THE_CONVERSATION = ['user', 'assistant', 'system', 'attachment', 'progress', 'result', 'started'];

/** Returns whether lines of this type are beside the conversation. */
export const isBeside = (type: unknown): boolean => (BESIDE as readonly unknown[]).includes(type);

/** The types of lines that are no prompts: a transcript without a turn may have them all. */
export const SILENT = new RegExp(`^(${[...BESIDE, ...OF_THE_CONVERSATION].join('|')})$`);
