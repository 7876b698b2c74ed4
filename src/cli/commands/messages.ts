/** `ctx messages`. */
import { readConversation } from '../../app/conversation/read.ts';
import type { ViewedMessage } from '../../core/conversation/view.ts';
import { isStub } from '../../core/externalise.ts';
import type { Message, Part, ToolPart } from '../../core/message.ts';
import { bytesInWords, linesOf, oneLine, plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';

/** The kinds of part that `--parts` names. */
const PART_KINDS = ['text', 'reasoning', 'tool', 'file', 'data'] as const;
type PartKind = (typeof PART_KINDS)[number];

/** Parts that a person sees if nothing else is asked for: the thoughts of a model are long, and rarely what is looked for. */
const SHOWN: readonly PartKind[] = ['text', 'tool', 'file', 'data'];

const ROLES = ['system', 'user', 'assistant'] as const satisfies readonly Message['role'][];

interface Input {
  session?: string | undefined;
  view?: 'model' | 'all' | 'branch' | undefined;
  at?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  role?: Message['role'][] | undefined;
  parts?: PartKind[] | undefined;
}

function kindOf({ type }: Part): PartKind {
  if (type === 'dynamic-tool') return 'tool';
  return type.startsWith('data-') ? 'data' : (type as PartKind);
}

/** Leaves of each message the parts of some kinds, and of the messages those that have any. */
function* withParts(messages: Iterable<ViewedMessage>, kinds: readonly PartKind[]): Generator<ViewedMessage> {
  for (const message of messages) {
    const parts = message.parts.filter((part) => kinds.includes(kindOf(part)));
    if (parts.length > 0 || message.parts.length === 0) yield { ...message, parts };
  }
}

const indented = (text: string, mark = '  '): string =>
  linesOf(text.trim())
    .map((line) => `${mark}${line}`.trimEnd())
    .join('\n');

/** The result of a call, in a few words: its exit code, its error, or the size of its output. */
function resultWords(part: ToolPart): string {
  if (typeof part['exit_code'] === 'number') return `exit ${part['exit_code']}`;
  if (part.state === 'output-error') return `failed: ${oneLine(String(part.errorText), 80)}`;
  if (part.state !== 'output-available') return 'no result';
  const { output } = part;
  return bytesInWords(
    isStub(output) ? output.bytes : Buffer.byteLength(typeof output === 'string' ? output : JSON.stringify(output)),
  );
}

function partLines(part: Part, theme: Theme): string {
  if (part.type === 'text') return indented(wordsOf(part.text));
  if (part.type === 'reasoning') return theme.faint(indented(wordsOf(part.text), '  | '));
  if (part.type === 'file') return `  ${theme.accent('file')} ${oneLine(part.filename ?? part.mediaType)}`;
  if (part.type === 'data-compaction') return compactionLines(part['data'], theme);
  if (part.type !== 'dynamic-tool')
    return `  ${theme.accent(oneLine(part.type))} ${oneLine(JSON.stringify(part['data'] ?? null), 100)}`;
  const { toolName, input } = part as ToolPart;
  const words = oneLine(typeof input === 'string' ? input : JSON.stringify(input ?? null), 100);
  const result = resultWords(part as ToolPart);
  return `  ${theme.accent(oneLine(toolName))} ${words} ${theme.faint(`(${result})`)}`;
}

/** A summary, and how many turns it replaces. */
function compactionLines(data: unknown, theme: Theme): string {
  const { summary, turns } = (data ?? {}) as { summary?: unknown; turns?: unknown };
  const count = typeof turns === 'number' ? `summarised ${plural(turns, 'earlier turn')}` : 'a summary';
  return `  ${theme.accent(count)}\n${theme.faint(indented(wordsOf(summary ?? ''), '  | '))}`;
}

/** A text; of one that is too long to be held, its beginning. */
function wordsOf(text: unknown): string {
  return isStub(text) ? `${text.preview}… (${bytesInWords(text.bytes)})` : String(text);
}

/** Renders messages for a person. */
export function* renderMessages(messages: Iterable<ViewedMessage>, theme: Theme): Generator<string> {
  let isFirst = true;
  for (const { id, role, parts, metadata, hidden } of messages) {
    const time = typeof metadata?.created_at === 'number' ? ` ${showTime(metadata.created_at)}` : '';
    const model = typeof metadata?.model === 'string' ? ` ${oneLine(metadata.model)}` : '';
    const mark = hidden ? ` ${theme.warn(`(hidden by ${oneLine(hidden.by)})`)}` : '';
    yield `${isFirst ? '' : '\n'}${theme.strong(role)}${time}${model} ${theme.faint(oneLine(id))}${mark}\n`;
    isFirst = false;
    for (const part of parts) {
      const lines = partLines(part, theme);
      if (lines.trim() !== '') yield `${lines}\n`;
    }
  }
  if (isFirst) yield 'No messages.\n';
}

export const messagesCommand = defineCommand<Input, Iterable<ViewedMessage>>({
  name: 'messages',
  summary: 'show the conversation of a session',
  arguments: [
    {
      name: 'session',
      description: 'a session, a step or a commit; the active session if absent',
      optional: true,
      completes: 'sessions',
    },
  ],
  options: [
    {
      flags: '--view <view>',
      description:
        'what the model would be sent now; everything, with marks on what it no longer sees; or one line, from the first message',
      choices: ['model', 'all', 'branch'],
    },
    {
      flags: '--at <message>',
      description: 'with --view branch: where the line ends (default: at the last message in view)',
    },
    { flags: '--from <message>', description: 'begin with this message, by its id' },
    { flags: '--to <message>', description: 'end with this message, by its id' },
    {
      flags: '--role <role>',
      description: 'only messages of this role',
      choices: [...ROLES],
      many: true,
    },
    {
      flags: '--parts <kind>',
      description: 'only parts of this kind',
      choices: [...PART_KINDS],
      many: true,
    },
  ],
  examples: [
    ['ctx messages', 'the conversation of the active session, as the model sees it'],
    ['ctx messages STAGE --view all --role user', 'everything that the user said, rewound or not'],
  ],
  exits: [
    [1, 'there is no such session or message'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  paged: true,
  input: (z) =>
    z
      .object({
        session: z.optional(z.string()),
        view: z.optional(z.enum(['model', 'all', 'branch'])),
        at: z.optional(z.string().check(z.minLength(1))),
        from: z.optional(z.string()),
        to: z.optional(z.string()),
        role: z.optional(z.array(z.enum(ROLES))),
        parts: z.optional(z.array(z.enum(PART_KINDS))),
      })
      .check(
        z.refine(
          ({ view, at }) => at === undefined || view === undefined || view === 'branch',
          '--at belongs to --view branch',
        ),
      ),
  run: (app, { session, view: name, at, from, to, role: roles, parts }) => {
    const view = at !== undefined || name === 'branch' ? { branch: at ?? '' } : name;
    const messages = readConversation(app.repository(), session, {
      view,
      from,
      to,
      roles,
      outputs: app.json ? 'whole' : 'stored',
    });
    return withParts(messages, parts ?? (app.json ? PART_KINDS : SHOWN));
  },
  render: renderMessages,
});
