/** How a turn goes: what it would end in now, what it used, and the moves of the state table that follow. */
import { questionIn } from '../../language/questions/question.ts';
import type { TranscriptEvent } from '../contract/agent.ts';
import type { TurnState } from './calls.ts';
import type { Outbox } from './outbox.ts';
import { addTokens, isNothing, type Tokens } from './usage.ts';

/** What the agent has said last in earlier parts of the transcript, in a turn that may go on. */
export interface EarlierWords {
  /** The message; null where it has said nothing. */
  message: string | null;
  /** The texts of that message. Costs a walk over the chain. */
  texts: () => readonly string[];
}

/** What the agent says in one message. */
interface Words {
  message: string;
  texts: readonly string[];
}

/** What a turn would end in if nothing more came. */
type Outcome = 'open' | 'answer' | 'interrupt';

export class Turn {
  readonly #outbox: Outbox;
  state: TurnState;
  /** The call whose question waits for the user. */
  asking: string | null;
  /** Whether what is told now stands before what is kept: it was over long ago, and moves nothing. */
  isPast = false;
  #outcome: Outcome = 'open';
  #at = 0;
  /** The agent's latest words: those of one message. */
  #words: { message: string; texts: string[] } = { message: '', texts: [] };
  /** The message that the agent has spoken in last since the user did. */
  #speaker: string | null;
  /** What that had said before this part of the transcript; null once more was said, here or by the user. */
  #earlier: EarlierWords | null;
  /** What the user said last, as it is told: its next piece may come when it is not given yet. */
  #prompt: (TranscriptEvent & { type: 'prompt' | 'more' }) | null = null;
  /** Why a question that was put got no answer. */
  #refusal = 'The user gave no answer';
  #tokens: Tokens = {};
  #messages = 0;
  /** Whether the user, the agent or a sub-agent did anything yet: records of the program alone are no turn. */
  #isBegun = false;
  #sideTokens: Tokens = {};
  #sideMessages = 0;

  constructor(outbox: Outbox, state: TurnState, asking: string | null, earlier: EarlierWords | null = null) {
    this.#outbox = outbox;
    this.state = state;
    this.asking = asking;
    this.#speaker = earlier?.message ?? null;
    this.#earlier = this.#speaker === null ? null : earlier;
  }

  /** The message that the agent has spoken in last, as a cursor holds it; null where the user has spoken since. */
  get speaker(): string | null {
    return this.#speaker;
  }

  /** Whether a message has ended the turn by its words: what the agent thinks beside them changes nothing. */
  hasAnswered(message: string): boolean {
    const isOver = this.state === 'done' || (this.state === 'asked' && this.asking === null);
    return isOver && this.#speaker === message;
  }

  /** Whether what is told moves nothing. */
  get #isStill(): boolean {
    return this.#outbox.isQuiet || this.isPast;
  }

  /** Whether what is told is new, and says nothing of how the turn goes: only what is kept does. */
  get #isOld(): boolean {
    return this.isPast && !this.#outbox.isQuiet;
  }

  /** The user said something: a prompt, or the answer to a question. */
  said(at: number, text: string): void {
    // An empty text: the agent goes on.
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

  /** What the user said last goes on. */
  saidMore(text: string): void {
    if (this.#prompt && !this.#isStill) this.#prompt.text += text;
  }

  /** What the user said last, in an earlier part, goes on here. */
  takesUp(at: number, before: string): void {
    if (this.#isStill) return;
    const more = { type: 'more' as const, at, before, text: before };
    this.#prompt = more;
    this.#outbox.put(more);
  }

  /** What the user said last may go on where the transcript ends. */
  leavesPromptOpen(): void {
    if (this.#prompt) this.#prompt.goes_on = true;
  }

  /** The user cuts in while the agent works: it takes that up at once and goes on. */
  cutsIn(at: number, text: string): void {
    if (this.#isStill) return;
    if (this.state !== 'running') this.said(at, text);
    else {
      this.#forgetWords();
      this.#outbox.put({ type: 'move', at, verb: 'interrupt', text, cuts_in: true });
      this.said(at, '');
    }
  }

  /** The agent does something: where it had stopped, it goes on by itself. */
  works(at: number): void {
    if (this.#isStill) return;
    this.#isBegun = true;
    if (this.state !== 'running') this.said(at, '');
  }

  /** The agent asks the user by a tool. */
  asks(at: number, callId: string, text: string): void {
    if (this.#isStill || this.state !== 'running') return;
    this.#outbox.put({ type: 'move', at, verb: 'ask', text, of_tool: true, call: callId });
    this.state = 'asked';
    this.asking = callId;
  }

  /** The agent says something. `isOver` is false where more is known to follow; a glued text goes on where the last stopped. */
  speaks(at: number, message: string, text: string, isOver: boolean, isGlued = false): void {
    if (this.#isOld) return;
    if (this.#words.message !== message) this.#words = { message, texts: this.#saidEarlier(message) };
    const { texts } = this.#words;
    texts.push(isGlued ? (texts.pop() ?? '') + text : text);
    this.#spoken(at, isOver);
  }

  /** The agent says something: these are all the words of its message now. */
  restates(at: number, message: string, texts: readonly string[], isOver: boolean): void {
    if (this.#isOld) return;
    this.#words = { message, texts: [...texts] };
    this.#spoken(at, isOver);
  }

  /** The agent's latest words. Those of a turn that was over in an earlier part are none of this one. */
  #wordsSoFar(): Words {
    const message = this.state === 'running' && !this.#isStill ? this.#speaker : null;
    if (this.#words.texts.length > 0 || message === null) return this.#words;
    return { message, texts: this.#saidEarlier(message) };
  }

  /** What a message has said in earlier parts of the transcript. */
  #saidEarlier(message: string): string[] {
    return this.#earlier && this.#earlier.message === message ? [...this.#earlier.texts()] : [];
  }

  #spoken(at: number, isOver: boolean): void {
    this.#speaker = this.#words.message;
    this.#earlier = null;
    this.#outcome = isOver ? 'answer' : 'open';
    this.#at = at;
  }

  /** The agent calls a tool. */
  calls(): void {
    if (!this.#isOld) this.#outcome = 'open';
  }

  /** The agent thinks: in a message that has no words yet, about what to do next. */
  thinks(message: string): void {
    if (!this.#isOld && this.#words.message !== message) this.#outcome = 'open';
  }

  /** A tool gave its result. After an interrupt that changes nothing. */
  returns(): void {
    if (!this.#isOld && this.#outcome !== 'interrupt') this.#outcome = 'open';
  }

  /** The user stopped the agent, or it could not go on. */
  stops(at: number, refusal?: string): void {
    if (this.#isOld) return;
    if (!this.#outbox.isQuiet) this.#isBegun = true;
    this.#forgetWords();
    this.#outcome = 'interrupt';
    this.#at = at;
    if (refusal !== undefined) this.#refusal = refusal;
  }

  /**
   * The program says that the turn came to its end, with the agent's latest words, which may stand in an earlier part.
   * @param words which these are; absent where they are what was told last
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

  /** Whether there is a turn that could end. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  uses(tokens: Tokens, isNew: boolean, isSide: boolean): void {
    if (this.#outbox.isQuiet) return;
    this.#isBegun = true;
    this.#tokens = addTokens(this.#tokens, tokens);
    this.#messages += isNew ? 1 : 0;
    if (!isSide) return;
    this.#sideTokens = addTokens(this.#sideTokens, tokens);
    this.#sideMessages += isNew ? 1 : 0;
  }

  /** Writes what the turn used and what it ended in, where there was one. `prompt` is the message that began it. */
  finish(at: number, prompt: () => string): void {
    if (this.#isBegun && !this.#outbox.isQuiet) this.#tell(at, prompt);
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
    if (this.#messages > 0 || !isNothing(this.#tokens)) {
      const side =
        this.#sideMessages > 0 || !isNothing(this.#sideTokens)
          ? { sidechain: { usage: this.#sideTokens, messages: this.#sideMessages } }
          : {};
      this.#outbox.record(at, { kind: 'usage', usage: this.#tokens, messages: this.#messages, ...side });
    }
    if (!this.isPast) this.#move(prompt);
    this.#outbox.put({ type: 'turn', at });
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
