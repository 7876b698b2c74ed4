/** `ctx stop`. */
import { type StopResult, stopSession } from '../../app/resume/stop.ts';
import { wholeText } from '../../app/session/text.ts';
import { oneLine } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';

export const stopCommand: Command = defineCommand<{ summary?: string | undefined }, StopResult>({
  name: 'stop',
  summary: 'save the session and pause it, until ctx resume',
  arguments: [
    {
      name: 'summary',
      description: 'where it stopped, in a sentence or two (- reads standard input)',
      optional: true,
      rest: 'words',
    },
  ],
  examples: [
    ['ctx stop', 'pause the session; its summary is what it says itself'],
    ['ctx stop "Leaning toward REST for simplicity."', 'the same, in your words'],
  ],
  exits: [
    [1, 'no session is active, or it is paused already'],
    [4, 'the store was busy'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) => z.object({ summary: z.optional(z.string()) }),
  run: (app, { summary }) =>
    stopSession(app.repository(), summary === undefined ? undefined : wholeText(app.text(summary), 'The summary')),
  render: ({ title, summary, resume_with }, theme) => {
    const where = summary === null ? '' : `\nSummary: ${oneLine(summary, 1000)}\n`;
    return `Session saved.\n\nConversation "${theme.strong(title)}" has been paused.\nYou can continue later with ${theme.accent(resume_with)}\n${where}`;
  },
});
