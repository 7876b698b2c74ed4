/** `ctx export --to markdown|uimessages|prompt`: a session as a text, for people, for programs, and for any model. */
import { resolve } from 'node:path';
import { markdownOf } from '../../core/exchange/markdown.ts';
import { titleOf } from '../../core/listing/title.ts';
import type { Message } from '../../core/message.ts';
import type { Repository } from '../../history/store/repository.ts';
import { loadConversation } from '../conversation/load.ts';
import { contextOf } from '../resume/context.ts';
import { createWhole } from './native/install.ts';
import { messagesOf, type NativeOptions } from './native/native.ts';

export const TEXT_FORMS = ['markdown', 'uimessages', 'prompt'] as const;
export type TextForm = (typeof TEXT_FORMS)[number];

export interface TextOptions extends Pick<NativeOptions, 'from' | 'full' | 'output'> {
  to: TextForm;
  /** Most tokens of a prompt. */
  budget?: number | undefined;
  /** Folder that relative paths are resolved against. */
  directory: string;
}

export interface TextResult {
  session_id: string;
  to: TextForm;
  /** Null if the text is the answer itself. */
  file: string | null;
  bytes: number;
  /** Absent if it is in a file. */
  text?: string | undefined;
  /** Of the form `uimessages`. */
  ui_messages?: Message[] | undefined;
  /** Of a prompt: its size, estimated, and what was left out. */
  tokens?: number | undefined;
  left_out?: { turns: number; tokens: number } | undefined;
}

type Made = Omit<TextResult, 'file' | 'bytes' | 'session_id' | 'to'> & { text: string };

/** Returns a message as a program of the AI SDK takes it. */
const uiMessage = ({ id, role, parts, metadata }: Message): Message => ({ id, role, parts, metadata });

function made(repository: Repository, given: string, options: TextOptions): { session_id: string; it: Made } {
  const loaded = loadConversation(repository, given);
  const { session } = loaded;
  const { session_id } = session;
  if (options.to === 'prompt') {
    const { text, tokens, left_out } = contextOf(repository, session_id, {
      budget: options.budget,
      full: options.full,
      status: 'handed over',
    });
    return { session_id, it: { text: `${text.trimEnd()}\n`, tokens, left_out } };
  }
  const messages = messagesOf(repository, loaded, options);
  if (options.to === 'markdown') return { session_id, it: { text: markdownOf(titleOf(session), messages) } };
  const ui_messages = messages.map(uiMessage);
  return { session_id, it: { text: `${JSON.stringify(ui_messages, null, 2)}\n`, ui_messages } };
}

/**
 * Words a session.
 * @throws {CtxError} not_found, ambiguous, no_active_session, invalid_input if the file exists, io, damaged
 */
export function exportText(repository: Repository, given: string, options: TextOptions): TextResult {
  const { session_id, it } = made(repository, given, options);
  const about = { session_id, to: options.to, bytes: Buffer.byteLength(it.text) };
  if (options.output === undefined || options.output === '-') return { ...about, file: null, ...it };
  const file = resolve(options.directory, options.output);
  createWhole(repository, file, it.text);
  const { tokens, left_out } = it;
  return { ...about, file, ...(tokens !== undefined && { tokens, left_out }) };
}
