/** The course of a turn: its outcome so far, its tokens, and the moves of the state table that follow. */
import { questionIn } from '../../language/questions/question.ts';
import type { TranscriptEvent } from '../contract/agent.ts';
import type { TurnState } from './basic-cursor.ts';
import type { Outbox } from './outbox.ts';
import { addTokens, isNothing, type Tokens } from './usage.ts';

/** The agent's last words in earlier parts of the transcript, in a turn that may continue. */
export interface EarlierWords {
  /** The message of these words; null if there are none. */
  message: string | null;
  /** Returns the texts of that message. This walks the chain. */
  texts: () => readonly string[];
}

/** The agent's words in one message. */
interface Words {
  message: string;
  texts: readonly string[];
}

/** The outcome of a turn if nothing more came. */
type Outcome = 'open' | 'answer' | 'interrupt';

/** The turn that a reader is in. */
export class Turn {
  readonly #outbox: Outbox;
  state: TurnState;
  /** The call whose question waits for the user. */
  asking: string | null;
  /** True if the events are before the last kept one: their turn was over long ago, and they move nothing. */
  isPast = false;
  #outcome: Outcome = 'open';
  #at = 0;
  /** The agent's latest words, all of one message. */
  #words: { message: string; texts: string[] } = { message: '', texts: [] };
  /** The message with the agent's last words since the user's. */
  #speaker: string | null;
  /** The words of that message in earlier parts of the transcript; null once there are later words, of the agent or the user. */
  #earlier: EarlierWords | null;
  /** The user's last prompt: its next piece may come before it is given. */
  #prompt: (TranscriptEvent & { type: 'prompt' | 'more' }) | null = null;
  /** The answer that is recorded for a question without one. */
  #refusal = 'The user gave no answer';
  #tokens: Tokens = {};
  #messages = 0;
  /** True if the user, the agent or a sub-agent did anything yet: records of the program alone are no turn. */
  #isBegun = false;
  #sideTokens: Tokens = {};
  #sideMessages = 0;
  #window: { window?: { used: number; size: number } } = {};
  /** In US dollars. */
  #cost = 0;

  constructor(outbox: Outbox, state: TurnState, asking: string | null, earlier: EarlierWords | null = null) {
    this.#outbox = outbox;
    this.state = state;
    this.asking = asking;
    this.#speaker = earlier?.message ?? null;
    this.#earlier = this.#speaker === null ? null : earlier;
  }

  /** The message with the agent's last words, as a cursor holds it; null if the user's words came since. */
  get speaker(): string | null {
    return this.#speaker;
  }

  /** Returns whether a message has ended the turn by its words: further thoughts in it change nothing. */
  hasAnswered(message: string): boolean {
    const isOver = this.state === 'done' || (this.state === 'asked' && this.asking === null);
    return isOver && this.#speaker === message;
  }

  /** Checks if events move nothing. */
  get #isStill(): boolean {
    return this.#outbox.isQuiet || this.isPast;
  }

  /** Checks if events are new, but in the past: only kept events decide the course of the turn. */
  get #isOld(): boolean {
    return this.isPast && !this.#outbox.isQuiet;
  }

  /** Takes a prompt of the user, or the answer to a question. An empty text means that the agent continues by itself. */
  said(at: number, text: string): void {
    // With an empty text, the agent continues, and its words still count.
    if (!this.#isOld && text !== '') this.#forgetWords();
    if (this.#isStill) return;
    this.#isBegun = true;
    this.#prompt = { type: 'prompt', at, text, ...(this.asking !== null && { call: this.asking }) };
    this.#outbox.put(this.#prompt);
    this.state = 'running';
    this.asking = null;
  }

  #forgetWords(): void {
    this.#speaker = null;
    this.#earlier = null;
  }

  /** Adds a piece to the user's last prompt. */
  saidMore(text: string): void {
    if (this.#prompt && !this.#isStill) this.#prompt.text += text;
  }

  /** Continues the user's last prompt of an earlier part. */
  takesUp(at: number, before: string): void {
    if (this.#isStill) return;
    const more = { type: 'more' as const, at, before, text: before };
    this.#prompt = more;
    this.#outbox.put(more);
  }

  /** Marks the user's last prompt as one that may continue after the end of the transcript. */
  leavesPromptOpen(): void {
    if (this.#prompt) this.#prompt.goes_on = true;
  }

  /** Takes a prompt of the user while the agent works: the agent continues with it at once. */
  cutsIn(at: number, text: string): void {
    if (this.#isStill) return;
    if (this.state !== 'running') this.said(at, text);
    else {
      this.#forgetWords();
      this.#outbox.put({ type: 'move', at, verb: 'interrupt', text, cuts_in: true });
      this.said(at, '');
    }
  }

  /** Notes that the agent works: if it had stopped, it continues by itself. */
  works(at: number): void {
    if (this.#isStill) return;
    this.#isBegun = true;
    if (this.state !== 'running') this.said(at, '');
  }

  /** Takes a question that a tool of the agent asks the user. */
  asks(at: number, callId: string, text: string): void {
    if (this.#isStill || this.state !== 'running') return;
    this.#outbox.put({ type: 'move', at, verb: 'ask', text, of_tool: true, call: callId });
    this.state = 'asked';
    this.asking = callId;
  }

  /** Takes words of the agent. `isOver` is false if more is known to follow; a glued text continues the last one. */
  speaks(at: number, message: string, text: string, isOver: boolean, isGlued = false): void {
    if (this.#isOld) return;
    if (this.#words.message !== message) this.#words = { message, texts: this.#saidEarlier(message) };
    const { texts } = this.#words;
    texts.push(isGlued ? (texts.pop() ?? '') + text : text);
    this.#spoken(at, isOver);
  }

  /** Replaces all words of a message of the agent. */
  restates(at: number, message: string, texts: readonly string[], isOver: boolean): void {
    if (this.#isOld) return;
    this.#words = { message, texts: [...texts] };
    this.#spoken(at, isOver);
  }

  /** Returns the agent's latest words, but none of a turn that was over in an earlier part. */
  #wordsSoFar(): Words {
    const message = this.state === 'running' && !this.#isStill ? this.#speaker : null;
    if (this.#words.texts.length > 0 || message === null) return this.#words;
    return { message, texts: this.#saidEarlier(message) };
  }

  /** Returns the words of a message in earlier parts of the transcript. */
  #saidEarlier(message: string): string[] {
    return this.#earlier && this.#earlier.message === message ? [...this.#earlier.texts()] : [];
  }

  #spoken(at: number, isOver: boolean): void {
    this.#speaker = this.#words.message;
    this.#earlier = null;
    this.#outcome = isOver ? 'answer' : 'open';
    this.#at = at;
  }

  /** Notes a call of a tool. */
  calls(): void {
    if (!this.#isOld) this.#outcome = 'open';
  }

  /** Notes a thought of the agent, which leaves the turn open if its message has no words yet. */
  thinks(message: string): void {
    if (!this.#isOld && this.#words.message !== message) this.#outcome = 'open';
  }

  /** Notes the result of a tool, which leaves the turn open unless it was interrupted. */
  returns(): void {
    if (!this.#isOld && this.#outcome !== 'interrupt') this.#outcome = 'open';
  }

  /** Ends the turn as interrupted: the user stopped the agent, or it could not continue. */
  stops(at: number, refusal?: string): void {
    if (this.#isOld) return;
    if (!this.#outbox.isQuiet) this.#isBegun = true;
    this.#forgetWords();
    this.#outcome = 'interrupt';
    this.#at = at;
    if (refusal !== undefined) this.#refusal = refusal;
  }

  /**
   * Ends the turn by the program's own word, with the agent's latest words, which may be in an earlier part.
   * @param words these words; absent if they are the last ones given
   */
  ends(at: number, words?: Words): void {
    if (this.#isOld || this.#outcome !== 'open') return;
    const { message, texts } = words ?? this.#wordsSoFar();
    if (texts.length === 0) return;
    if (!this.#isStill) this.#isBegun = true;
    this.#words = { message, texts: [...texts] };
    this.#outcome = 'answer';
    this.#at = at;
  }

  /** Checks if there is a turn that could end. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** Adds tokens of the turn. */
  uses(tokens: Tokens, isNew: boolean, isSide: boolean): void {
    if (this.#outbox.isQuiet) return;
    this.#isBegun = true;
    this.#tokens = addTokens(this.#tokens, tokens);
    this.#messages += isNew ? 1 : 0;
    if (!isSide) return;
    this.#sideTokens = addTokens(this.#sideTokens, tokens);
    this.#sideMessages += isNew ? 1 : 0;
  }

  /** Notes how full the window is now, and what was paid since. It begins no turn. */
  fills(window: { used: number; size: number } | undefined, cost: number | undefined): void {
    if (this.#outbox.isQuiet) return;
    if (window) this.#window = { window: { ...window } };
    if (cost) this.#cost += cost;
  }

  /** Gives the usage and the outcome of the turn, if there is one. `prompt` returns the message that began it. */
  finish(at: number, prompt: () => string): void {
    if (this.#isBegun && !this.#outbox.isQuiet) this.#tell(at, prompt);
    else this.#recordUsage(at);
    this.#window = {};
    this.#cost = 0;
    this.#isBegun = false;
    this.#tokens = {};
    this.#messages = 0;
    this.#sideTokens = {};
    this.#sideMessages = 0;
    this.#words = { message: '', texts: [] };
    this.#outcome = 'open';
    this.#refusal = 'The user gave no answer';
  }

  #tell(at: number, prompt: () => string): void {
    this.#recordUsage(at);
    if (!this.isPast) this.#move(prompt);
    this.#outbox.put({ type: 'turn', at });
  }

  #recordUsage(at: number): void {
    const more = { ...this.#window, ...(this.#cost > 0 ? { cost_usd: this.#cost } : {}) };
    if (this.#messages === 0 && isNothing(this.#tokens) && Object.keys(more).length === 0) return;
    const side =
      this.#sideMessages > 0 || !isNothing(this.#sideTokens)
        ? { sidechain: { usage: this.#sideTokens, messages: this.#sideMessages } }
        : {};
    this.#outbox.record(at, { kind: 'usage', usage: this.#tokens, messages: this.#messages, ...side, ...more });
  }

  #move(prompt: () => string): void {
    if (this.#outcome === 'interrupt') this.#interrupt(prompt() || 'The request was interrupted.');
    if (this.#outcome === 'answer' && this.state === 'running') this.#answer(this.#words.texts.join('\n\n').trim());
  }

  #interrupt(text: string): void {
    if (this.state === 'interrupted') return;
    if (this.state !== 'running') this.said(this.#at, this.state === 'asked' ? this.#refusal : '');
    this.#outbox.put({ type: 'move', at: this.#at, verb: 'interrupt', text });
    this.state = 'interrupted';
  }

  #answer(text: string): void {
    const question = questionIn(text);
    this.#outbox.put({ type: 'move', at: this.#at, verb: question === null ? 'done' : 'ask', text: question ?? text });
    this.state = question === null ? 'done' : 'asked';
  }
}
