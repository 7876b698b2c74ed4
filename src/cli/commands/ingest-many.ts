/** Runs `ctx ingest` of a folder, or of several files. */

import type { IngestedFile, IngestManyResult } from '../../app/intake/many.ts';
import type { IngestStep } from '../../app/intake/result.ts';
import type { CompactResult } from '../../app/session/compact.ts';
import type { FileProblem } from '../../app/transcript/file-problem.ts';
import { durationInWords, oneLine, plural } from '../../core/text.ts';
import { truncated } from '../frame/columns.ts';
import type { Theme } from '../frame/theme.ts';

/** Most problems that are printed one by one, and most projects that are named. */
const SHOWN = 20;
const PROJECTS_SHOWN = 5;
/** Width of the bar, in characters. */
const BAR = 20;

/** A bar, how many are through, and what is done now. */
export function progressText({ done, total, doing }: IngestStep): string {
  if (total === 0) return doing;
  const filled = Math.floor((done / total) * BAR);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${done} of ${total}: ${doing}`;
}

/** Prints problems one by one as they come, up to that number. @param warn prints a line */
export function problemTeller(warn: (line: string) => void): (problem: FileProblem) => void {
  let told = 0;
  return ({ file, line, message }) => {
    told += 1;
    const place = line === null ? oneLine(file, 4096) : `${oneLine(file, 4096)}:${line}`;
    if (told <= SHOWN) warn(`${place}: ${oneLine(message, 4096)}`);
  };
}

/** Returns a line with the number of problems that were not printed, if there are any. */
export function problemsOfMany({ problems }: IngestManyResult): string[] {
  const more = problems.length - SHOWN;
  return more > 0 ? [`… and ${plural(more, 'more problem')} (all of them with --json)`] : [];
}

/** Lists a few names, each with its number, and of most of them no more than how many those are. */
function numbers(names: readonly string[]): string {
  const counted = new Map<string, number>();
  for (const name of names) counted.set(name, (counted.get(name) ?? 0) + 1);
  const shown = [...counted].slice(0, PROJECTS_SHOWN).map(([name, number]) => `${number} of ${oneLine(name, 4096)}`);
  const rest = counted.size - shown.length;
  return shown.join(', ') + (rest > 0 ? `, and of ${rest} more` : '');
}

export function hintsOfMany({ sessions, left_out, problems }: IngestManyResult): string[] {
  const projects = numbers(left_out.flatMap(({ cwd }) => cwd ?? []));
  const strange = `Left out, since their projects have no store: ${projects}. ctx init there and ingest again, or take them into the store where you are with --here.`;
  const unknown = left_out.filter(({ cwd }) => cwd === null);
  const hashed = unknown.filter(({ cwd_hash }) => cwd_hash !== undefined).length;
  const names = numbers(unknown.flatMap(({ cwd_name }) => cwd_name ?? []));
  const untold = unknown.filter(({ cwd_hash, cwd_name }) => (cwd_hash ?? cwd_name) === undefined).length;
  const byHash = `Left out, since they hold only a hash of their folder, and it is none of this project's: ${hashed}. Ingest again in the folder that they took place in, or take them into the store where you are with --here.`;
  const byName = `Left out, since they hold only the name of their folder, and no folder here, or more than one, has it: ${names}. Ingest again in the folder that they took place in, or take them into the store where you are with --here.`;
  const byNothing = `Left out, since they do not name the folder that they took place in: ${untold}. Take them into the store where you are with --here.`;
  const open = sessions.filter((one) => one.created && one.open && !one.current && one.parent_session_id === null);
  const many = `${plural(open.length, 'new session')} open: ctx list --open. Continue one with: ctx resume`;
  const changed = sessions.filter((session) => session.read_before !== null);
  const rewritten = `Shorter than what was read before, or rewritten there: ${changed.length}; what is kept of them stays (which: "read_before" with --json).`;
  const unread = new Map(problems.toReversed().map(({ reason, hint }) => [reason, hint]));
  return [
    ...[...unread.values()].flatMap((hint) => (hint === undefined ? [] : oneLine(hint, 4096))),
    ...(changed.length > 0 ? [rewritten] : []),
    ...(projects === '' ? [] : [strange]),
    ...(hashed > 0 ? [byHash] : []),
    ...(names === '' ? [] : [byName]),
    ...(untold > 0 ? [byNothing] : []),
    ...(open.length > 0 ? [many] : []),
  ];
}

const savedWords = ({ commit_type: type }: CompactResult): string =>
  type.kind === 'StaleAutoCompact' ? `saved, idle for ${durationInWords(type.idle_duration_secs)}` : 'saved';

/** Fewest columns for a title: on a narrow terminal the end of the line is cut, too. */
const LEAST_TITLE = 44;

/** Renders a session in one line, cut to the width of the terminal. */
function line(session: IngestedFile, theme: Theme): string {
  const counts = [
    session.agent,
    plural(session.steps_added, 'step'),
    ...(session.parent_short_id === null ? [] : [`child of ${session.parent_short_id}`]),
    ...(session.compacted === null ? [] : [savedWords(session.compacted)]),
    ...(session.current ? ['active now'] : []),
    ...(session.saved_before ? ['the one before it saved'] : []),
    ...(session.other_cwd === null ? [] : [`of ${oneLine(session.other_cwd)}`]),
    ...(session.other_store === null ? [] : [`into ${oneLine(session.other_store)}`]),
  ];
  const verb = session.created ? 'Ingested' : session.steps_added > 0 ? 'Added to' : 'Saved';
  const before = `${verb} ${session.short_id}: `;
  const columns = theme.columns();
  const [title, after] = [oneLine(session.title), ` (${counts.join(', ')})`];
  const room = columns === null ? null : Math.max(LEAST_TITLE, columns - before.length - after.length);
  const rest = truncated(`${truncated(title, room)}${after}`, columns === null ? null : columns - before.length);
  return `${verb} ${theme.accent(session.short_id)}: ${rest}\n`;
}

/** Names the files of which nothing was taken in. */
function* namesOfRest({ passed_over, left_out }: IngestManyResult): Generator<string> {
  for (const file of passed_over) yield `  passed over: ${oneLine(file, 4096)}\n`;
  for (const { file, cwd } of left_out)
    yield `  left out: ${oneLine(file, 4096)}${cwd === null ? '' : ` (of ${oneLine(cwd, 4096)})`}\n`;
}

export function* renderMany(result: IngestManyResult, theme: Theme, verbose = false): Generator<string> {
  const { sessions, totals, older, left_out, passed_over, problems } = result;
  for (const session of sessions) if (session.steps_added > 0 || session.compacted) yield line(session, theme);
  const parts = [
    [totals.created, 'new session'],
    [totals.added, 'session added to', 'sessions added to'],
    [totals.saved, 'session saved', 'sessions saved'],
    [totals.unchanged, 'transcript with nothing new', 'transcripts with nothing new'],
    [totals.forgotten, 'forgotten conversation'],
    [older, 'older transcript left out', 'older transcripts left out'],
    [left_out.length, 'session of another project left out', 'sessions of other projects left out'],
    [passed_over.length, 'other file passed over', 'other files passed over'],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map(([number, noun, many]) => plural(number, noun, many));
  yield told.length > 0
    ? `${theme.good(told.join(', '))}\n`
    : `${problems.length > 0 ? 'No transcript was read' : 'There is no transcript'}.\n`;
  if (verbose) yield* namesOfRest(result);
  if (totals.steps_added === 0) return;
  const { steps_added, messages, tool_calls, lines } = totals;
  const sums = [plural(steps_added, 'step'), plural(messages, 'message'), plural(tool_calls, 'tool call')];
  yield `  ${[...sums, plural(lines, 'line')].join(', ')}\n`;
  const kinds = Object.entries(totals.unknown).map(([type, number]) => `${number} ${oneLine(type, 60)}`);
  if (kinds.length > 0) yield `  kept as they are: ${kinds.join(', ')}\n`;
}
