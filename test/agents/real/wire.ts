/** Translates every model's interface into a common form: requests of the agent, and answers. */

/** One thing that a conversation holds, in the order in which the model sees it. */
export type Turn =
  | { type: 'user'; text: string }
  | { type: 'assistant'; text: string }
  | { type: 'call'; id: string; name: string; input: unknown }
  | { type: 'result'; id: string; text: string };

/** A request of an agent's. */
export interface Asked {
  /** The conversation, whole. */
  turns: Turn[];
  /** Names of the tools that the model may call: none in a request that only wants a title, say. */
  tools: string[];
  /** The system prompt. */
  system: string;
}

/** An answer of the model. */
export interface Answer {
  text?: string | undefined;
  call?: { name: string; input: object } | undefined;
  /** Never comes to an end, so that somebody may break it off. */
  hangs?: boolean | undefined;
}

/** A model's interface over HTTP: what it is asked, and how it answers in server-sent events. */
export interface Wire {
  /** The request in a body that was posted to a path; null where it is none for a model. */
  read(path: string, body: Record<string, unknown>): Asked | null;
  /** The events of an answer; what hangs has no end. @param id of what is answered, unique */
  events(answer: Answer, id: string): string[];
}

/** One event as it goes over the wire. */
export const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

/** The text in a content that is a text itself or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('');
}
