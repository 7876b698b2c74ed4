/** Words a conversation as Markdown, for people to read. */
import type { Message, Part } from '../message.ts';
import { oneLine } from '../text.ts';
import { showTime } from '../time.ts';
import { outputOf } from './output.ts';
import { isMark } from './spoken.ts';

const WHO = { user: 'User', assistant: 'Assistant', system: 'System' } as const;

/** Returns a text in a fence that is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

const quotedText = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

function partText(part: Part): string {
  const fields = part as unknown as { [key: string]: unknown };
  if (part.type === 'text') return String(fields['text']).trim();
  if (part.type === 'reasoning') return String(fields['text']).trim() === '' ? '' : quotedText(String(fields['text']));
  if (part.type === 'file') return `*File: ${oneLine(String(fields['filename'] ?? fields['mediaType']))}*`;
  if (part.type === 'data-compaction') return String((fields['data'] as { summary?: unknown } | null)?.summary ?? '');
  if (part.type !== 'dynamic-tool') return '';
  const input = fields['input'];
  const { text, failed } = outputOf(part);
  const asked = typeof input === 'string' ? fenced(input) : fenced(JSON.stringify(input ?? null, null, 2), 'json');
  const came = text.trim() === '' ? '' : `\n\n${failed ? 'Failed' : 'Result'}:\n\n${fenced(text)}`;
  return `**${oneLine(String(fields['toolName']))}**\n\n${asked}${came}`;
}

/** Words the messages of a view. @param title of the session */
export function markdownOf(title: string, messages: readonly Message[]): string {
  const pieces = [`# ${oneLine(title)}`];
  for (const message of messages) {
    const texts = message.parts.map(partText).filter((text) => text !== '');
    if (isMark(message) || texts.length === 0) continue;
    const at = message.metadata?.created_at;
    const who = message.metadata?.['is_compact_summary'] === true ? 'Summary' : WHO[message.role];
    pieces.push(`## ${who}${typeof at === 'number' ? ` (${showTime(at)})` : ''}`, ...texts);
  }
  return `${pieces.join('\n\n')}\n`;
}
