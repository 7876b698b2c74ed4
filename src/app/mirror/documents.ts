/** Renders a session as files of a project: a conversation that people read, and what a program needs to resume it. */
import { harmlessText } from '../../core/harmless.ts';
import type { SessionRow } from '../../core/listing/row.ts';
import type { Entry, Turn } from '../../core/resume/turns.ts';
import type { Session } from '../../core/session/session.ts';
import { linesOf, oneLine } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { DEFAULT_TYPE } from '../resume/resumable.ts';

/** The files of a session, by their path below its folder. */
export type Documents = Readonly<Record<string, string>>;

const ROLES: Readonly<Record<Entry['who'], string>> = {
  user: 'user',
  agent: 'assistant',
  tool: 'tool',
  summary: 'system',
};
const HEADINGS: Readonly<Record<Entry['who'], string>> = {
  user: 'User',
  agent: 'Agent',
  tool: 'Tool',
  summary: 'Summary',
};

/** Longest output of a tool in the conversation that people read, in lines. */
const TOOL_LINES = 20;

/** Returns the entries of a conversation with their times, in the order of these: an entry without a time has that of the one before. */
function inOrder(turns: readonly Turn[], begun: number): { entry: Entry; at: number }[] {
  let last = begun;
  const timed = turns.flat().map((entry) => {
    last = entry.at ?? last;
    return { entry, at: last };
  });
  return timed.sort((a, b) => a.at - b.at);
}

/** Renders `messages.jsonl`: role, content and timestamp, a line each. */
function messagesJsonl(turns: readonly Turn[], begun: number): string {
  return inOrder(turns, begun)
    .map(({ entry: { who, text }, at }) => {
      const message = { role: ROLES[who], content: text, timestamp: new Date(at * 1000).toISOString() };
      return `${JSON.stringify(message)}\n`;
    })
    .join('');
}

/** Renders a text of strangers: none of its lines is a heading. */
function quotedLines(text: string, most = Number.POSITIVE_INFINITY): string {
  const lines = linesOf(text.trim());
  const shown = lines.slice(0, most).map((line) => `> ${harmlessText(line)}`.trimEnd());
  return [...shown, ...(lines.length > most ? [`> … ${lines.length - most} more lines`] : [])].join('\n');
}

function markdown(row: SessionRow, turns: readonly Turn[]): string {
  const facts: [string, string | null][] = [
    ['Type', row.type ?? DEFAULT_TYPE],
    ['Status', row.status],
    ['Agent', row.agent],
    ['Started', showTime(row.started_at)],
    ['Stopped at', row.summary],
  ];
  const entries = inOrder(turns, row.started_at).map(({ entry: { who, text }, at }) => {
    return `## ${HEADINGS[who]}, ${showTime(at)}\n\n${quotedLines(text, who === 'tool' ? TOOL_LINES : undefined)}\n`;
  });
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${oneLine(value, 500)}`]));
  return `# ${row.title}\n\n${lines.join('\n')}\n\n${entries.join('\n')}`;
}

function sessionJson(row: SessionRow, session: Session): string {
  const { command = null, mode = null, model = null, agent_version = null, mcp_servers = [], tools = [] } = session;
  const document = {
    session_id: row.session_id,
    title: row.title,
    type: row.type ?? DEFAULT_TYPE,
    status: row.status,
    agent: row.agent,
    agent_version,
    agent_session_id: row.agent_session_id,
    command,
    mode,
    model,
    system_prompt_hash: session.system_prompt?.sha256 ?? null,
    system_prompt_path: session.system_prompt?.path ?? null,
    mcp_tools: mcp_servers,
    tools,
    summary: row.summary,
    started_at: row.started_at,
    last_activity: row.last_activity,
    continues: row.continues,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Renders the files of a session. */
export function documentsOf(row: SessionRow, session: Session, turns: readonly Turn[], fileName: string): Documents {
  return {
    [fileName]: markdown(row, turns),
    '.session/session.json': sessionJson(row, session),
    '.session/messages.jsonl': messagesJsonl(turns, row.started_at),
  };
}
