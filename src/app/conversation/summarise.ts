/** Summarises a history with a summarizer, and falls back step by step where the history is too large for it. */
import type { Told } from '../../core/conversation/extract.ts';
import type { ContextSettings } from '../../core/conversation/settings.ts';
import { joinSummaries } from '../../core/conversation/summary-format.ts';
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { inChunks, messageText } from './history-text.ts';
import { askAgain, type Failure, type Summarised, type Summarizer, type Surroundings } from './summarizer.ts';

/** Messages to summarise, and settings for it. */
export interface Job {
  task: string;
  messages: readonly Told[];
  summarizer: Summarizer;
  settings: ContextSettings;
  surroundings: Surroundings;
  tokensOf: (text: string) => number;
  /** Most tokens that the summarizer takes in; null if unknown. */
  limit: number | null;
}

/** A summary, and what had to be done for it. */
export interface Outcome {
  /** Null if the summarizer failed for the moment. */
  summary: string | null;
  warnings: string[];
}

/** Number of times that a chunk is halved if its size did not help. */
const HALVINGS = 6;

/** @throws {CtxError} io, if the summarizer refuses; invalid_input, if the history is too large whatever is tried */
export async function summarise(job: Job): Promise<Outcome> {
  const { messages, settings, limit, tokensOf } = job;
  const warnings: string[] = [];
  const { prune_tool_outputs, chunked_summarize, drop_middle } = settings.smart_recovery;
  let texts = messages.map((message) => messageText(message, false)).filter((text) => text !== '');
  const fits = (): boolean => limit === null || tokensOf(texts.join('\n')) <= limit;
  let last: Summarised = { kind: 'too_large', why: 'the history is larger than its model takes in' };
  if (fits()) last = await ask(job, texts.join('\n'));
  if (isTooLarge(last) && prune_tool_outputs) {
    warnings.push('Long outputs of calls were left out of what was summarised.');
    texts = messages.map((message) => messageText(message, true)).filter((text) => text !== '');
    if (fits()) last = await ask(job, texts.join('\n'));
  }
  if (isTooLarge(last) && chunked_summarize) {
    const size = tokensOf(texts.join('\n'));
    const parts = await inParts(job, texts, limit ?? Math.ceil(size / 2), HALVINGS);
    if (!('kind' in parts)) {
      warnings.push(`The history was summarised in ${plural(parts.length, 'part')}.`);
      return { summary: joinSummaries(parts), warnings };
    }
    last = parts;
  }
  if (isTooLarge(last) && drop_middle) {
    const size = tokensOf(texts.join('\n'));
    for (let room = limit ?? Math.ceil(size / 2); isTooLarge(last) && room > 100; room = Math.floor(room / 2))
      last = await ask(job, withoutMiddle(texts, room, tokensOf));
    if ('summary' in last) warnings.push('The middle of the history was left out of what was summarised.');
  }
  if ('summary' in last) return { summary: last.summary, warnings };
  if (last.kind === 'transient')
    return { summary: null, warnings: [`The summarizer failed: ${last.why}. Nothing was summarised.`] };
  if (last.kind === 'final')
    throw new CtxError('io', `The summarizer refused: ${last.why}.`, {
      hint: 'Nothing was changed. See "context" in docs/settings.md',
    });
  throw new CtxError('invalid_input', 'The history is too large for the summarizer.', {
    hint: 'Make room with: ctx context prune; summarise without a model with: ctx context compact --summarizer extract; or continue in a new session.',
  });
}

const isTooLarge = (answer: Summarised): answer is Failure => 'kind' in answer && answer.kind === 'too_large';

const ask = ({ summarizer, task, settings, surroundings }: Job, history: string): Promise<Summarised> =>
  askAgain(() => summarizer(history, task), settings.retry_on_transient, surroundings);

/** Summarises in parts, each of at most so many tokens; a part that is still too large is halved. */
async function inParts(
  job: Job,
  texts: readonly string[],
  limit: number,
  halvings: number,
): Promise<string[] | Failure> {
  const summaries: string[] = [];
  for (const chunk of inChunks(texts, limit, job.tokensOf)) {
    const answer = await ask(job, chunk);
    if ('summary' in answer) {
      summaries.push(answer.summary);
      continue;
    }
    if (answer.kind !== 'too_large' || halvings === 0) return answer;
    const middle = Math.ceil(chunk.length / 2);
    const halves = await inParts(
      job,
      [chunk.slice(0, middle), chunk.slice(middle)],
      Math.ceil(limit / 2),
      halvings - 1,
    );
    if ('kind' in halves) return halves;
    summaries.push(...halves);
  }
  return summaries;
}

/** The beginning and the end of a history, together of at most so many tokens. */
function withoutMiddle(texts: readonly string[], room: number, tokensOf: (text: string) => number): string {
  const [head, tail]: [string[], string[]] = [[], []];
  let [from, to, left] = [0, texts.length, room];
  for (let isHead = true; from < to; isHead = !isHead) {
    const text = texts[isHead ? from : to - 1] as string;
    left -= tokensOf(text);
    if (left < 0) break;
    if (isHead) {
      head.push(text);
      from += 1;
    } else {
      tail.unshift(text);
      to -= 1;
    }
  }
  return [...head, '[…]', ...tail].join('\n');
}
