/** The state machine of a session: one table, and every writer goes through it (format rule of ctx, "The session"). */
import { CtxError } from './errors.ts';
import { type Infer, unixSeconds, type Zod } from './schema.ts';

/** The format of the state of a session. Times are Unix seconds. */
export const sessionStateSchema = (z: Zod) =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('Running') }),
    z.object({ kind: z.literal('AwaitingUser'), question: z.string(), asked_at: unixSeconds(z) }),
    z.object({ kind: z.literal('PendingComplete'), summary: z.string() }),
    z.object({ kind: z.literal('Interrupted'), user_message: z.string() }),
    z.object({ kind: z.literal('Complete') }),
    z.object({ kind: z.literal('Aborted'), reason: z.string() }),
  ]);
/** The state of a session. */
export type SessionState = Infer<typeof sessionStateSchema>;

export type StateKind = SessionState['kind'];
export const STATE_KINDS: readonly StateKind[] = [
  'Running',
  'AwaitingUser',
  'PendingComplete',
  'Interrupted',
  'Complete',
  'Aborted',
];

/** The moves that `ctx stage` knows by name and that the table lists; `start` and `compact` open and end a session. */
export type Verb = 'ask' | 'done' | 'interrupt' | 'abort' | 'respond' | 'continue' | 'confirm' | 'reopen';

/** Roles of a note; `plain` for any other. */
export const NOTE_ROLES = ['question', 'response', 'intervention', 'confirmation', 'continuation', 'plain'] as const;
export type NoteRole = (typeof NOTE_ROLES)[number];

/** One row of the table. */
export interface Move {
  verb: Verb;
  from: readonly StateKind[];
  to: StateKind;
  /** The note that the move leaves behind, if it leaves one: its role, and its words around the text given. */
  note: {
    role: NoteRole;
    content: (text: string) => string /** Even if no text was given. */;
    always?: true;
  } | null;
  /** True if the move links its note to the task with an edge. */
  edge: boolean;
  /** Builds the state that the move leads to. */
  state: (text: string, at: number) => SessionState;
  /** Name of the text that is given with the move. */
  text: 'question' | 'summary' | 'user_message' | 'reason' | 'answer' | 'note';
}

const running = (): SessionState => ({ kind: 'Running' });

/** The table. Where a move has no words of its own, its note is the text given, if any. */
export const MOVES: readonly Move[] = [
  {
    verb: 'ask',
    from: ['Running'],
    to: 'AwaitingUser',
    note: { role: 'question', content: (text) => `Question for user: ${text}` },
    edge: false,
    state: (question, asked_at) => ({ kind: 'AwaitingUser', question, asked_at }),
    text: 'question',
  },
  {
    verb: 'done',
    from: ['Running'],
    to: 'PendingComplete',
    note: null,
    edge: false,
    state: (summary) => ({ kind: 'PendingComplete', summary }),
    text: 'summary',
  },
  {
    verb: 'interrupt',
    from: ['Running'],
    to: 'Interrupted',
    note: { role: 'intervention', content: (text) => `User intervention: ${text}` },
    edge: false,
    state: (user_message) => ({ kind: 'Interrupted', user_message }),
    text: 'user_message',
  },
  {
    verb: 'respond',
    from: ['AwaitingUser'],
    to: 'Running',
    note: { role: 'response', content: (text) => `User response: ${text}` },
    edge: true,
    state: running,
    text: 'answer',
  },
  {
    verb: 'continue',
    from: ['Interrupted'],
    to: 'Running',
    note: { role: 'continuation', content: (text) => text },
    edge: false,
    state: running,
    text: 'note',
  },
  {
    verb: 'confirm',
    from: ['PendingComplete'],
    to: 'Complete',
    note: { role: 'confirmation', content: () => 'User confirmed task complete', always: true },
    edge: false,
    state: () => ({ kind: 'Complete' }),
    text: 'note',
  },
  {
    verb: 'reopen',
    from: ['PendingComplete'],
    to: 'Running',
    note: { role: 'continuation', content: (text) => `User requested continuation: ${text}` },
    edge: false,
    state: running,
    text: 'note',
  },
  {
    verb: 'abort',
    from: ['Running', 'AwaitingUser', 'Interrupted', 'PendingComplete'],
    to: 'Aborted',
    note: null,
    edge: false,
    state: (reason) => ({ kind: 'Aborted', reason }),
    text: 'reason',
  },
];

/** Moves that are commands by their name alone; `ctx abort` ends a run first. */
const ALONE: readonly string[] = ['done', 'confirm'];

/** Returns the command of a move as users type it. */
export const commandOf = (verb: string): string => `ctx ${ALONE.includes(verb) ? '' : 'stage '}${verb}`;

/** The moves possible from a state, `compact` last: it ends a session from any state. */
export function allowedVerbs(state: StateKind): string[] {
  return [...MOVES.filter((move) => move.from.includes(state)).map((move) => move.verb), 'compact'];
}

/** The row for a verb. */
export function moveOf(verb: Verb): Move {
  const move = MOVES.find((candidate) => candidate.verb === verb);
  if (!move) throw new CtxError('bug', `the state table has no row for ${verb}`);
  return move;
}

/** The move that brings a session back to Running from a state that waits; undefined if it does not wait. */
export const backToRunning = (state: StateKind): Verb | undefined =>
  MOVES.find((move) => move.to === 'Running' && move.from.includes(state))?.verb;

/** Checks if a session in this state is over, and only waits to be saved. */
export const hasEnded = (state: StateKind): boolean => state === 'Complete' || state === 'Aborted';

/** The effect of a move: the state after it, and the note it leaves, if any. */
export interface MovePlan {
  from: SessionState;
  to: SessionState;
  verb: Verb;
  note: { content: string; role: NoteRole } | null;
  edge: boolean;
  /** Of a question: whether a tool has put it, within a turn. */
  ofTool?: true;
  /** The call of a tool that has put the question, or has brought the answer. */
  call?: string;
  /** Of a confirmation: what the user said in a conversation with an agent. */
  said?: string;
}

/**
 * Plans one move of the table.
 * @param text what was given with the move: the question, summary, answer …; may be empty
 * @param at Unix seconds
 * @throws {CtxError} no_such_move, naming the moves that are possible
 */
export function planMove(from: SessionState, verb: Verb, text: string, at: number): MovePlan {
  const move = moveOf(verb);
  if (!move.from.includes(from.kind)) {
    const allowed = allowedVerbs(from.kind);
    throw new CtxError('no_such_move', `A session that is ${from.kind} has no move "${verb}".`, {
      hint: `Possible now: ${allowed.map(commandOf).join(', ')}`,
      data: { session_state: from, verb, allowed },
    });
  }
  const told = move.note && (move.note.always || text.trim() !== '');
  return {
    from,
    to: move.state(text, at),
    verb,
    note: move.note && told ? { content: move.note.content(text), role: move.note.role } : null,
    edge: move.edge,
  };
}

/** The state table as a Mermaid diagram; the README's is made from it. */
export function stateDiagram(): string {
  const lines = ['stateDiagram-v2', '    [*] --> Running: start'];
  for (const move of MOVES) for (const from of move.from) lines.push(`    ${from} --> ${move.to}: ${move.verb}`);
  for (const kind of STATE_KINDS) lines.push(`    ${kind} --> [*]: compact`);
  return `${lines.join('\n')}\n`;
}
