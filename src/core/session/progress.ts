/** Describes an open session for a returning user or agent, in the design's words. */

import type { Digest } from '../records/digest.ts';
import { oneLine, plural } from '../text.ts';
import type { Session } from './session.ts';

/** Lists the progress so far, one line a thing: plans, decisions, notes, files, commands. */
export function progressSummary(digest: Digest): string {
  const lines: string[] = [];
  const last = (texts: readonly string[], count: number): string[] => texts.slice(-count);
  for (const plan of last(digest.plans, 1)) lines.push(`- Plan: ${oneLine(plan)}`);
  for (const decision of last(digest.decisions, 5)) lines.push(`- Decision: ${oneLine(decision)}`);
  for (const remark of last(digest.remarks, 5)) lines.push(`- ${oneLine(remark)}`);
  for (const turn of last(
    digest.conversation.slice(digest.rewound).map((entry) => `${entry.role}: ${entry.text}`),
    4,
  )) {
    lines.push(`- ${oneLine(turn).replace(/^./, (letter) => letter.toUpperCase())}`);
  }
  const changed = [...digest.changed].sort();
  const read = digest.paths.size - changed.length;
  if (changed.length > 0)
    lines.push(`- Changed ${plural(changed.length, 'file')}: ${oneLine(changed.slice(0, 10).join(', '), 300)}`);
  if (read > 0) lines.push(`- Read ${plural(read, 'file')}`);
  const commands = [...digest.commands.values()];
  const failed = commands.filter((command) => command.exit_code !== null && command.exit_code !== 0);
  for (const command of last(
    failed.map((run) => `\`${run.command}\` (exit ${run.exit_code})`),
    3,
  )) {
    lines.push(`- Failed: ${oneLine(command)}`);
  }
  const passed = commands.filter((command) => command.exit_code === 0).length;
  if (passed > 0) lines.push(`- Passed: ${plural(passed, 'command')}`);
  return lines.length > 0 ? lines.join('\n') : '- Nothing recorded yet';
}

/** The words `recover` says, by the state of the session. */
export function recoveryMessage(session: Session, progress: string): string {
  const state = session.session_state;
  switch (state.kind) {
    case 'AwaitingUser':
      return `Welcome back! I was asking:\n\n${state.question}`;
    case 'PendingComplete':
      return `Welcome back! I had finished:\n\n${state.summary || session.task_description}\n\nDoes this look good?`;
    case 'Running':
      return `Welcome back! I was working on: ${session.task_description}\n\nProgress so far:\n${progress}\n\nShould I continue?`;
    case 'Interrupted':
      return `Welcome back! You had said:\n\n${state.user_message}\n\nI hadn't finished processing that. Should I continue?`;
    case 'Complete':
      return `This task is complete and not yet compacted: ${session.task_description}\n\nTo save it: ctx stage compact`;
    case 'Aborted':
      return `This task was aborted and is not yet compacted: ${session.task_description}\n\nTo save it: ctx stage compact`;
  }
}
