/** The tools of the Model Context Protocol: what each takes, and what it answers. All of them only read. */

import { readConversation } from '../../app/conversation/read.ts';
import { AGENT_NAMES, agentAsked } from '../../app/find/agent-names.ts';
import { showMoment } from '../../app/find/moment.ts';
import { packFor } from '../../app/find/pack.ts';
import { parseQuery, searchSessions } from '../../app/find/search.ts';
import { whyPath } from '../../app/find/why.ts';
import type { Repository } from '../../app/open.ts';
import { listAllSessions } from '../../app/sessions.ts';
import { CtxError } from '../../core/errors.ts';
import { renderMessages } from '../commands/messages.ts';
import { remarksOn } from '../commands/search.ts';
import { moment } from '../frame/moment.ts';
import { PLAIN } from '../frame/theme.ts';

/** A tool, with the JSON Schema of what it takes. */
export interface Tool {
  name: string;
  description: string;
  properties: Record<string, { type: 'string' | 'integer' | 'array'; description: string; items?: { type: 'string' } }>;
  required: readonly string[];
  answer: (repository: Repository, input: ToolInput, asked: Asked) => Promise<unknown> | unknown;
}

/** The surroundings of a question. */
export interface Asked {
  directory: string;
  /** Notes what an agent must know to read the answer right. */
  remark: (text: string) => unknown;
}

export type ToolInput = Readonly<Record<string, unknown>>;

/** Most characters of a conversation that one answer has: an agent reads on with `at`. */
const LONGEST = 40_000;
const LISTED = 20;

function textOf(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new CtxError('usage', `${name} takes a text.`);
}

function requiredText(input: ToolInput, name: string): string {
  const value = textOf(input, name);
  if (value === undefined || value.trim() === '') throw new CtxError('usage', `Give ${name}.`);
  return value;
}

function numberOf(input: ToolInput, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)) return value;
  throw new CtxError('usage', `${name} takes a whole number.`);
}

function textsOf(input: ToolInput, name: string): string[] | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value as string[];
  throw new CtxError('usage', `${name} takes a list of texts.`);
}

/** Returns a conversation as text, up to a length, and how to read on. */
export function conversationText(repository: Repository, session: string, at?: string): string {
  const messages = at === undefined ? readConversation(repository, session, { view: 'all', outputs: 'stored' }) : null;
  const moment = at === undefined ? null : showMoment(repository, session, at);
  if (moment?.step) return JSON.stringify(moment.step, null, 2).slice(0, LONGEST);
  let text = '';
  for (const message of messages ?? moment?.messages ?? []) {
    const next = [...renderMessages([message], PLAIN)].join('');
    if (text.length + next.length > LONGEST && text !== '')
      return `${text}\n(More: show with session ${session} and at ${message.id}.)\n`;
    text += `${text === '' ? '' : '\n'}${next.slice(0, LONGEST)}`;
  }
  return text === '' ? 'No messages.\n' : text;
}

export const TOOLS: readonly Tool[] = [
  {
    name: 'search',
    description:
      'Finds earlier sessions of this project by what was said and done in them. Words rank; "a phrase" and +word must be there, -word must not; path: agent: state: ending: type: role: in: since: until: filter. Answers with sessions and snippets; show opens them.',
    properties: {
      query: { type: 'string', description: 'the words' },
      limit: { type: 'integer', description: 'at most so many sessions (10)' },
    },
    required: ['query'],
    answer: async (repository, input, { remark }) => {
      const query = requiredText(input, 'query');
      const { since, until } = parseQuery(query).filters;
      const found = searchSessions(repository, query, {
        filters: { since: await moment('since', since), until: await moment('until', until) },
        limit: numberOf(input, 'limit'),
        agents: AGENT_NAMES,
        warn: remark,
      });
      for (const line of remarksOn(found)) remark(line);
      return found;
    },
  },
  {
    name: 'show',
    description: 'Shows the conversation of a session, or opens it at a message or record that search has found.',
    properties: {
      session: { type: 'string', description: 'the id of the session, or the end of it' },
      at: { type: 'string', description: 'the id of a message or a record' },
    },
    required: ['session'],
    answer: (repository, input) => conversationText(repository, requiredText(input, 'session'), textOf(input, 'at')),
  },
  {
    name: 'pack',
    description:
      'Collects what earlier sessions know about a question or a task: decisions, what was given up, files, commands, what was said. Ask this before beginning a task.',
    properties: {
      question: { type: 'string', description: 'the question or the task' },
      budget: { type: 'integer', description: 'at most so many tokens (8000)' },
      paths: {
        type: 'array',
        items: { type: 'string' },
        description: 'only sessions that did something with these paths',
      },
    },
    required: ['question'],
    answer: async (repository, input, { remark }) => {
      const options = {
        budget: numberOf(input, 'budget'),
        paths: textsOf(input, 'paths'),
        catalog: { warn: remark },
      };
      const pack = await packFor(repository, requiredText(input, 'question'), options);
      for (const line of remarksOn(pack)) remark(line);
      return pack.text;
    },
  },
  {
    name: 'why',
    description:
      'Says which sessions touched a file, with the prompt that led to it; with a line, which step wrote that line.',
    properties: {
      path: { type: 'string', description: 'the file, relative to the project' },
      line: { type: 'integer', description: 'the number of a line' },
    },
    required: ['path'],
    answer: (repository, input, { directory, remark }) =>
      whyPath(repository, requiredText(input, 'path'), numberOf(input, 'line') ?? null, {
        directory,
        catalog: { warn: remark },
      }),
  },
  {
    name: 'list',
    description: 'Lists the sessions of this project, the one with the newest work first.',
    properties: {
      limit: { type: 'integer', description: `at most so many (${LISTED})` },
      agent: { type: 'string', description: 'only sessions of this agent' },
    },
    required: [],
    answer: (repository, input, { remark }) => {
      const agent = textOf(input, 'agent');
      return listAllSessions(repository, {
        limit: numberOf(input, 'limit') ?? LISTED,
        agent: agent && agentAsked(repository, agent),
        catalog: { warn: remark },
      }).sessions;
    },
  },
];
