/** Plans what an agent's hook does to its session, from what happened and the state of the session. */
import type { ToolQuestion } from '../intake/notes.ts';
import type { Verdict } from '../intake/reconcile.ts';
import { backToRunning, hasEnded, type SessionState, type Verb } from '../state.ts';
import { tellsOfWork } from '../work-done.ts';
import type { Happening, ToolUse } from './hook-event.ts';
import { notesFor } from './tool-question.ts';
import type { Deed } from './user-message.ts';

/** A question that was put before and still waits. */
export type Standing = Pick<Extract<SessionState, { kind: 'AwaitingUser' }>, 'question' | 'asked_at'>;

export interface HookCircumstances {
  state: SessionState;
  /** The prompt that was cut off, if the transcript says that the turn was; else null. */
  cutOff: string | null;
  /** The user's last words; asked for only if they are needed. */
  lastPrompt: () => string;
  /** Question that the words of a turn's end put to the user; null if they ask nothing. */
  asks: string | null;
  /** True if the transcript has anything that is not known already. */
  isNew: boolean;
  /** Reads the agent's words in this turn, as the transcript has them; asked for only if the turn was broken off. */
  agentSaid: () => string;
  /** Checks if a tool has put the question that waits, within a turn; asked for only if that is needed. */
  isToolsQuestion: () => boolean;
  /** The call that has put the question that waits, if the end of the call brings the answer; asked for only if that is needed. */
  askingCall: () => string | null;
  /** Checks if notes have a tool's question, and its answer; asked for only if there is a question. */
  noted: (question: ToolQuestion) => Verdict;
  /** The question that a turn ended with and that only an explanation has followed; asked for only if that is needed. */
  standing: () => Standing | null;
  /** Checks if the user has said something since the session was interrupted; asked for only if the session is interrupted. */
  hasSpoken: () => boolean;
  /** True if only the hook knows what was said. */
  isUntold: boolean;
}

const move = (verb: Verb, text = ''): Extract<Deed, { do: 'move' }> => ({ do: 'move', verb, text });

/** Returns the move back to Running, if the state is one that waits. @param answer what the user said, if that is known */
function toRunning(state: SessionState, answer = ''): Deed[] {
  const verb = backToRunning(state.kind);
  return verb ? [move(verb, answer)] : [];
}

/** Plans what follows when the user breaks a turn off, at any point of the turn: at work, at a question of the agent, before any move. */
export function cutOffDeeds(
  state: SessionState,
  prompt: () => string,
  hasSpoken: HookCircumstances['hasSpoken'],
): Deed[] {
  // One interruption may be reported twice; if another prompt lies between, the second report is of another one.
  const isTold = state.kind === 'Interrupted' && !hasSpoken();
  return hasEnded(state.kind) || isTold ? [] : [...toRunning(state), move('interrupt', prompt())];
}

/** Plans what follows from an event other than a prompt. */
export function hookPlan(happened: Happening, circumstances: HookCircumstances): Deed[] {
  const { state, cutOff, lastPrompt, hasSpoken } = circumstances;
  const cutsOff = (): Deed[] => cutOffDeeds(state, () => cutOff ?? lastPrompt(), hasSpoken);
  if (happened.what === 'tool') return cameBack(circumstances, happened);
  const text = happened.what === 'turn_end' ? (happened.text?.trim() ?? '') : '';
  // The user has confirmed it: with the agent's answer it is complete.
  if (state.kind === 'Complete' && (happened.what === 'turn_end' || happened.what === 'end')) {
    const answer: Deed[] = text === '' ? [] : [{ do: 'note', content: text, role: 'plain' }];
    return [...answer, { do: 'end', type: null }];
  }
  if (hasEnded(state.kind)) return [];
  switch (happened.what) {
    case 'question':
      // An event that has asked already said more; and an agent that is no longer at work waits for nothing.
      if (happened.isNotice && state.kind !== 'Running') return [];
      return toolAsks(circumstances, happened.text, happened.call_id);
    case 'turn_end':
      // The end of a turn that was broken off is reported twice if two settings files name ctx.
      if (state.kind === 'Interrupted' && !circumstances.isNew && !circumstances.isUntold && !hasSpoken()) return [];
      // A turn that was broken off may end like any other: then only the transcript knows, and only the hook has the last words.
      return cutOff !== null
        ? [...spoken(unheldPart(text, circumstances.agentSaid())), ...cutsOff()]
        : ends(circumstances, text);
    case 'interrupt':
      return cutsOff();
    default:
      return cutOff === null ? [] : cutsOff();
  }
}

/** Keeps what the agent has said, if it has said anything. */
const spoken = (words: string): Deed[] => (words === '' ? [] : [{ do: 'keep', by: 'agent', words }]);

/** Plans what follows when a tool has returned: the agent is at work again, unless another tool still waits for the user. */
function cameBack({ state, askingCall, noted }: HookCircumstances, { call_id: call, asked, answer }: ToolUse): Deed[] {
  const asking = state.kind === 'AwaitingUser' ? askingCall() : null;
  // Not every agent gives its hooks what was answered to its own tool.
  if (asked === undefined) return asking === null || asking === call ? toRunning(state, answer ?? '') : [];
  const question = { asked, call, answer };
  const known = answer === null ? 'same' : noted(question);
  const isWaiting = state.kind === 'AwaitingUser' && (state.question === asked || (call !== null && call === asking));
  const of = call === null ? {} : { call };
  if (isWaiting) return [{ ...move('respond', known === 'same' ? '' : (answer ?? '')), ...of }];
  // Its question does not wait any more, or never has: what was said is kept all the same.
  const notes = answer === null ? [] : notesFor(question, known);
  const isTold = answer !== null && known === 'same';
  return asking !== null || isTold ? notes : [...notes, ...toRunning(state)];
}

/** One question may be reported twice: by the tool that puts it, and by the permission that this tool needs. */
function asks(state: SessionState, question: string, more: Partial<Extract<Deed, { do: 'move' }>> = {}): Deed[] {
  if (state.kind === 'AwaitingUser' && state.question === question) return [];
  return [...toRunning(state), { ...move('ask', question), ...more }];
}

/** @param call the call of the tool whose end brings the answer; null if the call is not named, undefined if no call brings it */
function toolAsks({ state, noted }: HookCircumstances, asked: string, call: string | null | undefined): Deed[] {
  // Most are reported twice.
  if (state.kind === 'AwaitingUser' && state.question === asked) return [];
  const isNoted = call !== undefined && noted({ asked, call, answer: null }) === 'same';
  return asks(state, asked, { ofTool: true, ...(call && { call }), ...(isNoted && { isNoted }) });
}

/** A turn may end twice, too: a hook of another program makes the agent continue. */
function ends({ state, isToolsQuestion, asks: question, standing, isUntold }: HookCircumstances, text: string): Deed[] {
  // A tool's question is over with its turn; a turn that has only explained something answers for nobody.
  const isOpen = state.kind === 'AwaitingUser' && !isToolsQuestion();
  const kept = isUntold ? spoken(text) : [];
  if (question !== null) {
    const all = tight(text) === tight(question) ? [] : kept;
    return isOpen ? [...all, ...asks(state, question)] : [...all, ...toRunning(state), move('ask', question)];
  }
  if (isOpen) return kept;
  // An agent that reports finished work has not only explained something.
  const again = state.kind === 'Running' && !tellsOfWork([text]) ? standing() : null;
  if (again !== null) return [...kept, { ...move('ask', again.question), at: again.asked_at, isNoted: true }];
  // One that ends again without a word takes none back.
  const isTold = state.kind === 'PendingComplete' && (text === '' || state.summary === text);
  return isTold ? [] : [...toRunning(state), move('done', text)];
}

/** Removes white space: an agent may put a blank between the pieces in which a text came. */
const tight = (text: string): string => text.replaceAll(/\s+/g, '');

/**
 * Returns the part of an agent's words that is nowhere else; empty if all of them are.
 * @param words its last ones, or all of its turn
 * @param held what the agent has said in this turn, as its transcript has it
 */
function unheldPart(words: string, held: string): string {
  const [all, known] = [tight(words), tight(held)];
  if (known.includes(all)) return '';
  if (!all.startsWith(known)) return words;
  let at = 0;
  for (let left = known.length; left > 0; at += 1) left -= tight(words.charAt(at)).length;
  return words.slice(at).trim();
}
