/** What Claude Code puts beside a transcript: `<session>/subagents/`, and beside that of a sub-agent `agent-<id>.meta.json`. */
import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import type { About, Companion } from '../agent.ts';
import { idOf } from '../shared/fields.ts';

export const claudeCodeCompanion: Companion = {
  placesOf: (name) => {
    const [, own] = /^(agent-.+)\.jsonl$/.exec(name) ?? [];
    return own === undefined ? [] : [`${own}.meta.json`];
  },
  subAgents: (name) => {
    const [, session] = /^(?!agent-)(.+)\.jsonl$/.exec(name) ?? [];
    return session === undefined ? null : `${session}/subagents`;
  },
  transcriptsOf: (name, id) => {
    const [, agent, session] = /^(agent-)?(.+)\.jsonl$/.exec(name) ?? [];
    if (session === undefined) return [];
    // Those that a sub-agent has called stand beside its own.
    return [agent === undefined ? `${session}/subagents/agent-${id}.jsonl` : `agent-${id}.jsonl`];
  },
  about: (text) => {
    const meta = objectIn(text);
    const about: About = {};
    const title = idOf(meta['description']);
    const type = idOf(meta['agentType']);
    const call = idOf(meta['toolUseId']);
    if (title !== undefined) about.title = title;
    if (type !== undefined) about.sub_agent_type = type;
    if (call !== undefined) about.parent_tool_call_id = call;
    return about;
  },
};

/** A file that is torn tells nothing: the transcript says what matters. */
function objectIn(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
