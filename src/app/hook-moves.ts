/** What a hook other than that of a tool does: the session of its conversation takes in the transcript, and moves. */
import type { HookAnswer } from '../agents/hooks.ts';
import { questionOf } from '../core/choice.ts';
import { CtxError } from '../core/errors.ts';
import type { Happening } from '../core/hook-event.ts';
import { hookPlan } from '../core/hook-plan.ts';
import type { AnyBody } from '../core/record.ts';
import type { Session } from '../core/session.ts';
import { waitingChoice } from '../store/choices.ts';
import { sessionRef } from '../store/layout.ts';
import { type Transaction, transact } from '../store/transaction.ts';
import { activeSession } from './active.ts';
import { carryOut } from './deeds.ts';
import type { Hook } from './hook.ts';
import { asHistory, asQuestion } from './hook-context.ts';
import { isKnown, openSessionOf, openStateOf, remember } from './hook-session.ts';
import { AT_LEAST, type Increment, lastPrompt, newSource, sizeOf, sourceOf, takeIncrement } from './increment.ts';
import { type HookPart, handleUserMessage } from './message.ts';
import type { MessageResult } from './message-result.ts';
import { addRecord } from './observe.ts';
import { recoveryText } from './recover.ts';
import { redactionFor } from './redact.ts';
import { keepRest } from './rest.ts';
import { findSource } from './source.ts';
import { type Beginning, beginSession } from './start.ts';
import { transcriptText } from './transcript-text.ts';
import { UNTITLED } from './turns.ts';
import { answerCommand } from './waiting.ts';

/** Does what an event asks for; gives what the agent is told. */
export function moveOn(hook: Hook): HookAnswer | null | Promise<null> {
  // A message is redacted where it is taken in.
  const { happened } = hook.event;
  if (happened.what === 'start') return started(hook, happened.source);
  if (happened.what === 'prompt') return prompted(hook, happened.text);
  const clean = redactionFor(hook.repository).value(happened);
  const isUnknown = clean.what === 'turn_end' && !isKnown(hook.repository, hook.conversation);
  return isUnknown ? takeIn(hook, clean) : advance(hook, clean);
}

/** A conversation begins or goes on: the agent is told where its session stands, or the current one, and what ctx asks. */
function started(hook: Hook, source: string): HookAnswer | null {
  const { repository, event, conversation } = hook;
  // Confirmed, and the turn never ended: there is no answer to wait for.
  const isOver = source !== 'compact' && openStateOf(repository, conversation)?.state.kind === 'Complete';
  if (isOver) advance(hook, { what: 'turn_end', text: null });
  const active = openSessionOf(repository, conversation) ?? activeSession(repository);
  // A conversation that was cleared begins with nothing, since the user wanted it so.
  if (!active || source === 'clear') return null;
  const { session_id, task_description } = active.session;
  const choice = waitingChoice(repository, session_id);
  const question = choice && questionOf(choice.kind, task_description).message;
  const asked = question === null ? [] : [asQuestion(question, answerCommand(repository, session_id))];
  return { event: event.event, context: [asHistory(recoveryText(repository, active)), ...asked].join('\n\n') };
}

function prompted(hook: Hook, text: string): HookAnswer | null {
  const { repository, event, conversation } = hook;
  if (text.trim() === '') return null;
  const result = heard(hook, text);
  remember(repository, conversation, result.session_id);
  const { choice, session_id } = result;
  if (!choice || session_id === null) return null;
  return { event: event.event, context: asQuestion(choice.message, answerCommand(repository, session_id)) };
}

/** Takes a prompt up. */
function heard(hook: Hook, text: string): MessageResult {
  const { repository } = hook;
  return keepingWords(hook, `User: ${text}`, () => handleUserMessage(repository, text, { hook: partOf(hook) }));
}

/** Makes a change. Where the store is busy and no transcript will tell of it, at least what was said is kept. */
function keepingWords<Made>(hook: Hook, said: string | null, change: () => Made): Made {
  const { repository, event, conversation } = hook;
  try {
    return change();
  } catch (error) {
    const isBusy = error instanceof CtxError && error.code === 'busy';
    const open = isBusy && said && event.transcript === null ? openStateOf(repository, conversation) : null;
    if (open) {
      const redaction = redactionFor(repository);
      const body = { kind: 'note', role: 'plain', content: redaction.text(said ?? ''), hook: true } as AnyBody;
      addRecord(repository, open.session_id, () => ({ body, redaction }));
    }
    throw error;
  }
}

function partOf(hook: Hook): HookPart {
  const { repository, conversation } = hook;
  let ended: Session | null = null;
  return {
    find: () => openSessionOf(repository, conversation),
    settle: (transaction) => {
      ended = restKept(hook, transaction);
    },
    increment: ({ chain }) => incrementOf(hook, chain),
    timeLeft: hook.timeLeft,
    beginning: (active, increment) => beginning(hook, increment?.session ?? active?.session ?? ended),
  };
}

/** What the transcript still tells of the conversation's last session goes to its archive; gives that session. */
function restKept({ repository, event, conversation, agent }: Hook, transaction: Transaction): Session | null {
  const { transcript, happened } = event;
  if (!agent || transcript === null || sizeOf(transcript) === 0) return null;
  const said = happened.what === 'prompt' ? happened.text : null;
  const rest = {
    agent,
    agentSession: conversation.agent_session,
    text: transcriptText(transcript, agent),
    said,
    limit: AT_LEAST,
  };
  return keepRest(repository, transaction, rest)?.chain.session ?? null;
}

function incrementOf({ repository, event, conversation, agent, timeLeft }: Hook, chain: Increment['chain']): Increment {
  const { session } = chain;
  const known = sourceOf(session, conversation.agent, conversation.agent_session);
  const file = event.transcript;
  const said = event.happened.what === 'prompt' ? event.happened.text : null;
  return agent && known && file
    ? takeIncrement(repository, chain, { agent, known, file, said, timeLeft })
    : { chain, session, records: [], interrupted: null };
}

/** What a session begins with: the transcript, from where an earlier session of the same conversation has left it. */
function beginning({ repository, conversation, event }: Hook, replaced: Session | null): Beginning {
  const { agent, agent_session } = conversation;
  const before = replaced ?? findSource(repository, agent, agent_session)?.chain.session ?? null;
  const source = before && sourceOf(before, agent, agent_session);
  return {
    agent,
    sources: [source ?? redactionFor(repository).value(newSource(agent, agent_session, event.transcript))],
    ...(before ? { continues: before.session_id } : {}),
  };
}

/** The session takes in its transcript and what waits, and goes where the event leads it: one step, under LOCK. */
function advance(hook: Hook, happened: Happening): null {
  const { repository, event, conversation } = hook;
  const change = { command: 'hook', message: `hook ${event.event}` };
  const words = 'text' in happened ? happened.text?.trim() : '';
  const make = (transaction: Transaction): void => {
    const active = openSessionOf(repository, conversation);
    if (!active) {
      restKept(hook, transaction);
      return;
    }
    // What comes after a question of ctx's own belongs to the session that the answer picks.
    const isAsked = waitingChoice(repository, active.session.session_id) !== null;
    const increment = isAsked ? null : incrementOf(hook, active.chain);
    const deeds = increment ? planned(hook, increment, happened) : [];
    // Of several tools that come back at once only the first one changes anything.
    if (happened.what === 'tool' && deeds.length === 0) return;
    carryOut(repository, transaction, {
      active,
      deeds,
      answers: null,
      message: '',
      redaction: redactionFor(repository),
      as: null,
      beginning: () => ({}),
      increment,
      flush: true,
      // One that is only saved need not be at work any more.
      beCurrent: happened.what !== 'pause' && happened.what !== 'end',
    });
    remember(repository, conversation, active.session.session_id);
  };
  keepingWords(hook, words ? `Agent: ${words}` : null, () => transact(repository, change, make));
  return null;
}

const planned = ({ repository }: Hook, increment: Increment, happened: Happening) =>
  hookPlan(happened, {
    state: increment.session.session_state,
    cutOff: increment.interrupted,
    lastPrompt: () => lastPrompt(repository, increment),
  });

/** Begins the session of a conversation that has none, and whose prompts tell nothing of what it is about. */
export function beginUntold(hook: Hook): void {
  const { repository, conversation } = hook;
  transact(repository, { command: 'hook', message: 'start' }, (transaction) => {
    // Another hook may have done the same meanwhile.
    if (openStateOf(repository, conversation)) return;
    const { session_id } = beginSession(repository, transaction, UNTITLED, beginning(hook, null));
    if (transaction.stage() === null) transaction.move('STAGE', null, sessionRef(session_id));
    remember(repository, conversation, session_id);
  });
}

/**
 * A turn has ended in a conversation that ctx knows nothing of: the hooks were installed in the middle of it. What the
 * transcript tells becomes its session; where there is none, its last words begin one.
 */
async function takeIn(hook: Hook, happened: Happening): Promise<null> {
  const { repository, event, conversation, agent } = hook;
  const file = event.transcript;
  const size = file === null ? 0 : sizeOf(file);
  if (size === 0 && happened.what === 'turn_end' && happened.text?.trim()) {
    beginUntold(hook);
    return advance(hook, happened);
  }
  if (!agent || file === null || size === 0 || size > AT_LEAST) return null;
  const { ingestTranscript } = await import('./ingest.ts');
  const { session_id } = ingestTranscript(repository, file, { agent: agent.name });
  remember(repository, conversation, session_id);
  return advance(hook, happened);
}
