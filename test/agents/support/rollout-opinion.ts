// A second opinion on a rollout, worked out in another way: all of it in memory, a list for the context, letters for the lines.

export interface RolloutOpinion {
  /** Texts that the model still sees, one for each part: `role: text`, `call name id`; sorted. */
  sees: string[];
  /** Number of messages that the agent has, whether they are still seen or not. */
  answers: number;
  /** Number of messages that there are in all. */
  messages: number;
  usage: Record<string, number>;
  /** Distinct lines that a result or a call stands on. */
  calls: number;
  unanswered: number;
}

// biome-ignore lint/suspicious/noExplicitAny: a second opinion does not share the types of the first
type Loose = any;

const AGENT = ['reasoning', 'function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call'];
/** Beginnings of a text that Codex puts into the user's mouth; those of the tests and of the real files. */
const ITS_OWN =
  /^(# AGENTS\.md|<environment_context|<user_instructions|<turn_aborted|<subagent_notification|Another language model)/;

const textsOf = (content: Loose): string[] => (Array.isArray(content) ? content : []).map((block) => block.text ?? '');

interface Seen {
  labels: string[];
  isPrompt: boolean;
  words: string;
  /** True if it is a piece of a message of the agent's. */
  isAgents?: boolean;
}

/** Returns the labels of one item. */
function labelsOf(item: Loose): string[] {
  if (item.type === 'message') return textsOf(item.content).map((text) => `${item.role}: ${text}`);
  if (item.type === 'reasoning') return [`thinking: ${textsOf(item.summary).join('\n')}`];
  return [`call ${item.name ?? item.type} ${item.call_id ?? ''}`.trim()];
}

export function recordsOf(lines: readonly string[]): Loose[] {
  const distinct = [...new Set(lines)];
  return distinct.flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

export function rolloutOpinion(lines: readonly string[]): RolloutOpinion {
  const records = recordsOf(lines);
  const waiting: { id: string; what: string }[] = [];
  /** Names of the calls: some have one id, and wait together. */
  const named = new Map<Loose, string>();
  const names = new Set<string>();
  let unanswered = 0;
  let calls = 0;
  // Results first: which of them finds a call.
  const isOrphan = new Set<Loose>();
  const closed = new Set<string>();
  for (const { payload } of records.filter(({ type }) => type === 'response_item')) {
    const { call_id: id } = payload;
    const what = JSON.stringify([payload.name, payload.arguments]);
    const others = waiting.filter((one) => one.id === id);
    if (/_call$/.test(payload.type) && id && !others.some((one) => one.what === what)) {
      let name = id;
      for (let nth = 2; others.length > 0 && names.has(name); nth += 1) name = `${id}~${nth}`;
      names.add(name);
      named.set(payload, name);
      waiting.push({ id, what });
      closed.delete(id);
      calls += 1;
    }
    // A search of the web has no id.
    else if (/_call$/.test(payload.type) && !payload.call_id) calls += 1;
    if (!/_output$/.test(payload.type)) continue;
    const index = waiting.findIndex((one) => one.id === id);
    if (index >= 0) waiting.splice(index, 1);
    else if (!closed.has(payload.call_id)) isOrphan.add(payload);
    closed.add(payload.call_id);
  }
  unanswered = waiting.length;

  let context: Seen[] = [];
  const everything: Seen[] = [];
  const letters: string[] = [];
  let sum = '';
  const see = (seen: Seen): void => {
    context.push(seen);
    everything.push(seen);
  };
  for (const { type, payload } of records) {
    let letter = '-';
    if (type === 'response_item' && (AGENT.includes(payload.type) || payload.role === 'assistant')) {
      letter = 'a';
      const isCopy = /_call$/.test(payload.type) && payload.call_id && !named.has(payload);
      const call_id = named.get(payload) ?? payload.call_id;
      see({ labels: isCopy ? [] : labelsOf({ ...payload, call_id }), isPrompt: false, words: '', isAgents: true });
    } else if (type === 'response_item' && payload.type === 'message') {
      letter = '|';
      const kinds: string[] = payload.internal_chat_message_metadata_passthrough?.content_item_kinds ?? [];
      const isPrompt = payload.role === 'user' && (kinds[0] ? kinds[0] === 'user.text' : isOwnWords(payload));
      see({ labels: labelsOf(payload), isPrompt, words: JSON.stringify([payload.role, textsOf(payload.content)]) });
    } else if (type === 'response_item' && /_output$/.test(payload.type)) {
      letter = '|';
      if (isOrphan.has(payload)) see({ labels: [`call unknown ${payload.call_id}`], isPrompt: false, words: '' });
    } else if (type === 'compacted') {
      letter = '|';
      const history: Loose[] = payload.replacement_history ?? [];
      const found = history.map((item) => {
        const words = JSON.stringify([item.role, textsOf(item.content)]);
        return everything.findLast((seen) => seen.words === words);
      });
      context = [...new Set(found.filter((seen) => seen !== undefined))];
      see({ labels: [`user: ${payload.message}`], isPrompt: false, words: '' });
    } else if (payload.type === 'thread_rolled_back') {
      letter = '|';
      const prompts = context.flatMap((seen, index) => (seen.isPrompt ? [index] : []));
      const from = prompts.at(-Math.min(payload.num_turns, prompts.length));
      if (prompts.length > 0) context = context.slice(0, from);
    } else if (['task_started', 'task_complete', 'turn_aborted'].includes(payload.type)) letter = '|';
    const told = payload.thread_token_usage ?? payload.info?.total_token_usage;
    if (told && JSON.stringify(told) !== sum) {
      // A sum of nothing that is told first says nothing.
      const isNothing = sum === '' && Object.values(told).every((count) => count === 0);
      const isLess = sum !== '' && Object.values(told).every((count) => count === 0);
      if (!isNothing && !isLess) letter = '|';
      sum = JSON.stringify(told);
    }
    letters.push(letter);
  }
  const answers = (letters.join('').match(/a(-*a)*/g) ?? []).length;
  return {
    sees: context.flatMap((seen) => seen.labels).sort(),
    answers,
    messages: answers + everything.filter((seen) => !seen.isAgents).length,
    usage: usageOf(records),
    calls,
    unanswered,
  };
}

function isOwnWords(payload: Loose): boolean {
  return textsOf(payload.content).some((text) => !ITS_OWN.test(text.trim()));
}

/** The highest sums between two that begin anew, added up. */
function usageOf(records: readonly Loose[]): Record<string, number> {
  const told = records.flatMap(({ payload }) => {
    const sum = payload.thread_token_usage ?? payload.info?.total_token_usage;
    return sum ? [{ sum, last: payload.thread_token_usage ? payload.usage : payload.info?.last_token_usage }] : [];
  });
  const peaks = told.flatMap(({ sum }, index) => {
    const next = told[index + 1];
    if (next === undefined) return [sum];
    const isSame = Object.keys(sum).every((key) => key === 'total_tokens' || next.sum[key] === sum[key]);
    const grown = (key: string): number => next.sum[key] - sum[key];
    return Object.keys(sum).some((key) => grown(key) < 0 || (!isSame && grown(key) < next.last?.[key])) ? [sum] : [];
  });
  const total = (key: string): number => peaks.reduce((all, sum) => all + (sum[key] ?? 0), 0);
  return {
    input: total('input_tokens') - total('cached_input_tokens') - total('cache_write_input_tokens'),
    output: total('output_tokens'),
    reasoning: total('reasoning_output_tokens'),
    cache_read: total('cached_input_tokens'),
  };
}
