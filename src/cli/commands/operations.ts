/** `ctx op log`, `ctx undo` and `ctx git`. */
import { type GitRun, runGit } from '../../app/git.ts';
import { type DamagedOperation, type ListedOperation, listOperations } from '../../app/undo/operations.ts';
import { undoOperations } from '../../app/undo/undo.ts';
import type { Turned, Undone, UndoResult } from '../../app/undo/undone.ts';
import { oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { shortOid } from '../frame/words.ts';
import { worldLines } from '../frame/world.ts';

const value = (text: string | null): string =>
  text === null ? 'nothing' : /^[0-9a-f]{40}$/.test(text) ? shortOid(text) : text;

type Listed = ListedOperation | DamagedOperation;

/** Operations that are listed, read while they are printed; if any of them was damaged, that is known then. */
class OperationLog implements Iterable<Listed> {
  damaged = false;
  readonly #operations: () => Iterable<Listed>;
  readonly #limit: number;

  constructor(operations: () => Iterable<Listed>, limit: number) {
    this.#operations = operations;
    this.#limit = limit;
  }

  *[Symbol.iterator](): Generator<Listed> {
    for (const operation of first(this.#operations(), this.#limit)) {
      if ('damaged' in operation) this.damaged = true;
      yield operation;
    }
  }
}

/** @param max_count number of operations that were asked for; with 0 the output does not mention the others */
function* renderOperations(
  operations: Iterable<Listed>,
  theme: Theme,
  { max_count }: { max_count?: number | undefined },
): Generator<string> {
  let any = false;
  for (const operation of operations) {
    any = true;
    if ('damaged' in operation) {
      yield `${theme.bad('damaged')} ${theme.strong(oneLine(operation.file))}: ${oneLine(operation.damaged, 500)}\n    ${operation.hint ?? ''}\n`;
      continue;
    }
    yield `${theme.warn(operation.id)} ${showTime(operation.at)} ${theme.strong(operation.command)}\n`;
    // Most messages are the last word of the command.
    if (!operation.command.endsWith(operation.message)) yield `    ${oneLine(operation.message, 500)}\n`;
    for (const move of operation.moves) yield `    ${move.pointer}: ${value(move.old)} → ${value(move.new)}\n`;
  }
  if (!any) yield max_count === 0 ? 'No operation to show.\n' : 'No operation yet.\n';
}

const logCommand = defineCommand<{ max_count?: number | undefined }, OperationLog>({
  name: 'op log',
  summary: 'list what moved pointers, newest first',
  options: [{ flags: '-n, --max-count <number>', description: 'show at most so many', kind: 'integer' }],
  examples: [['ctx op log -n 5', 'the last five operations']],
  exits: [[5, 'an operation is damaged; the others are listed']],
  mutates: false,
  paged: true,
  input: (z) => z.object({ max_count: z.optional(z.int().check(z.nonnegative('-n cannot be negative'))) }),
  run: (app, input) => {
    const repository = app.repository();
    return new OperationLog(() => listOperations(repository), input.max_count ?? Number.POSITIVE_INFINITY);
  },
  render: renderOperations,
  exit: (log) => (log.damaged ? 5 : 0),
});

function* first<T>(items: Iterable<T>, limit: number): Generator<T> {
  let left = limit;
  for (const item of items) {
    if (left <= 0) return;
    left -= 1;
    yield item;
  }
}

/** Renders undone operations; those of one run of a command share a line. */
function renderRuns(undone: readonly Undone[]): string {
  let lines = '';
  for (const [index, one] of undone.entries()) {
    const isSame = (other: Undone | undefined): boolean => one.run !== undefined && other?.run === one.run;
    if (isSame(undone[index - 1])) continue;
    const all = undone.slice(index).findIndex((other) => !isSame(other));
    const count = one.run === undefined ? 1 : all < 0 ? undone.length - index : all;
    lines +=
      count === 1 ? renderUndone(one) : `Took back ${one.command} of ${plural(count, 'session')} (from ${one.id} on)\n`;
  }
  return lines;
}

/** Renders an undone operation by the state after it: an undo that is undone has brought something back, or removed it again. */
function renderUndone({ id, command, files = [], of, others = [] }: Undone): string {
  if (!of)
    return `Took back ${command} (${id})\n${files.map((file) => `Its file stays: ${oneLine(file, 1024)}\n`).join('')}`;
  return [`${renderTurned(of)} (${id})`, ...others.map(renderTurned)].map((line) => `${line}\n`).join('');
}

const renderTurned = ({ command, title, stands }: Turned): string =>
  `${stands ? 'Brought back' : 'Took back'} ${title === null ? command : `${command}: ${oneLine(title)}`}`;

const undoCommand = defineCommand<{ count?: string | undefined }, UndoResult>({
  name: 'undo',
  summary: 'take back the last operation: a start, a switch, a compaction, an abort, a cleanup, an ingest',
  arguments: [{ name: 'count', description: 'how many operations (default: 1)', optional: true }],
  examples: [
    ['ctx undo', 'take back the last operation; again brings it back'],
    ['ctx undo 2', 'take back the last two; ctx undo brings both back'],
  ],
  exits: [
    [1, 'there is nothing to undo, or a pointer has moved since'],
    [4, 'the store was busy'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) =>
    z.object({
      count: z.optional(z.string().check(z.refine((text) => /^[1-9]\d{0,3}$/.test(text), 'takes a number from 1'))),
    }),
  run: (app, input) => undoOperations(app.repository(), Number(input.count ?? 1)),
  hints: ({ rest }) =>
    rest === 0
      ? []
      : [
          `Not undone: ${plural(rest, 'more operation')} of the same command, since something else was done in between. See: ctx op log`,
        ],
  render: function* ({ undone, left, world }, theme) {
    for (const { id, command } of left) yield `Left ${command} (${id}) as it is: it cannot be taken back.\n`;
    yield renderRuns(undone);
    if (world) yield* worldLines(world, 'restored', theme);
  },
});

const gitCommand = defineCommand<{ words: string[] }, GitRun>({
  name: 'git',
  summary: 'run Git itself on the store, after a look at its config',
  arguments: [{ name: 'words', description: "Git's own command line", rest: 'list' }],
  examples: [
    ['ctx git log --oneline --all', 'every step and every canonical commit'],
    ['ctx git push backup main', 'send the history somewhere'],
  ],
  exits: [[1, 'the config of the store has keys that Git is not to be run with, or Git is not installed']],
  mutates: true,
  isAsked: () => true,
  paged: true,
  input: (z) => z.object({ words: z.array(z.string()).check(z.minLength(1)) }),
  run: (app, input) => runGit(app.repository(), input.words, app.json ? undefined : app),
  render: ({ stdout }) => stdout ?? '',
  exit: (result) => result.exit,
});

export const operationCommands: readonly Command[] = [logCommand, undoCommand, gitCommand];
