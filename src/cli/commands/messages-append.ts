/** `ctx messages append`. */
import { type AppendResult, appendMessage } from '../../app/conversation/append.ts';
import { wholeText } from '../../app/session/text.ts';
import { CtxError } from '../../core/errors.ts';
import { excessOf } from '../../core/json.ts';
import { defineCommand } from '../frame/command.ts';

interface Input {
  message: string;
  role?: 'user' | 'assistant' | 'system' | undefined;
}

function parsed(text: string): unknown {
  const hint = 'Give a UIMessage: {"parts":[{"type":"text","text":"…"}]}';
  const excess = excessOf(text);
  if (excess !== null) throw new CtxError('invalid_input', `The message ${excess}.`, { hint });
  try {
    return JSON.parse(text);
  } catch {
    throw new CtxError('invalid_input', 'The message is no JSON.', { hint });
  }
}

export const messagesAppendCommand = defineCommand<Input, AppendResult>({
  name: 'messages append',
  summary: 'append a message to the conversation of the active session',
  arguments: [{ name: 'message', description: 'a UIMessage of the AI SDK, as JSON (- reads standard input)' }],
  options: [
    {
      flags: '--role <role>',
      description: 'who says it, if the message does not say so itself',
      choices: ['user', 'assistant', 'system'],
    },
  ],
  examples: [
    [`ctx messages append --role user '{"parts":[{"type":"text","text":"Add a retry."}]}'`, 'what the user said'],
    ['ctx messages append --role assistant -', 'a message from standard input'],
  ],
  exits: [
    [1, 'it is no message, or its id is taken'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) => z.object({ message: z.string(), role: z.optional(z.enum(['user', 'assistant', 'system'])) }),
  run: (app, { message, role }) =>
    appendMessage(app.repository(), parsed(wholeText(app.text(message), 'The message')), { role }),
  render: ({ message_id }) => `${message_id}\n`,
});
