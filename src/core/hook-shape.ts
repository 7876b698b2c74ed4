/** Checks if a payload of an agent's hooks has the shape that ctx reads: an agent that changes it must not be captured in silence. */
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** Fields that are texts if they are there, of any agent. */
const TEXTS = [
  'session_id',
  'conversation_id',
  'transcript_path',
  'cwd',
  'prompt',
  'last_assistant_message',
  'prompt_response',
  'tool_name',
  'text',
  'question',
];
const OBJECTS = ['tool_input'];
/** Names that Claude Code and Codex, Gemini CLI and Cursor have for a prompt. */
const PROMPTS = new Set(['UserPromptSubmit', 'BeforeAgent', 'beforeSubmitPrompt']);

/** Describes the parts of a payload that cannot be read, in words; nothing of one that names neither an event of a hook's nor a session. */
export function oddities(payload: JsonObject): string[] {
  const isNamed = ['session_id', 'conversation_id'].some((key) => payload[key] !== undefined && payload[key] !== '');
  if (typeof payload['hook_event_name'] !== 'string')
    return isNamed ? ['The payload names no event: ctx does not know what it means.'] : [];
  const isThere = (key: string): boolean => payload[key] !== undefined && payload[key] !== null;
  const told = (key: string, wanted: string): string =>
    `The payload's ${key} is ${kindOf(payload[key] ?? null)} and no ${wanted}: ctx cannot read it.`;
  const odd = [
    ...TEXTS.filter((key) => isThere(key) && typeof payload[key] !== 'string').map((key) => told(key, 'text')),
    ...OBJECTS.filter((key) => isThere(key) && !isObject(payload[key])).map((key) => told(key, 'object')),
  ];
  if (PROMPTS.has(payload['hook_event_name']) && !isThere('prompt'))
    odd.push('The payload of a prompt has no prompt: ctx does not know what was said.');
  return isNamed ? odd : [...odd, 'The payload names no session: ctx does not know what it belongs to.'];
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list';
  const kind = typeof value;
  return kind === 'string' ? 'a text' : kind === 'object' ? 'an object' : `a ${kind}`;
}
