/** What Claude Code puts beside a transcript: `<session>/subagents/`, before 2.1 `agent-<id>.jsonl`; beside a sub-agent's `agent-<id>.meta.json`. */
import { isObject, type JsonObject, parseJson } from '../../core/json.ts';
import type { About, Companion } from '../contract/agent.ts';
import { idOf } from '../shared/fields.ts';

export const claudeCodeCompanion: Companion = {
  placesOf: (name) => {
    const [, own] = /^(agent-.+)\.jsonl$/.exec(name) ?? [];
    return own === undefined ? [] : [`${own}.meta.json`];
  },
  // Those of a workflow stand two folders deeper, in `workflows/<run>/`.
  subAgents: (name) => {
    const session = sessionOf(name);
    return session === undefined ? null : `${session}/subagents`;
  },
  subAgentName: (id) => `agent-${id}.jsonl`,
  besideSubAgents: (name) => {
    const session = sessionOf(name);
    if (session === undefined) return null;
    return (other, beginning) => /^agent-.+\.jsonl$/.test(other) && sessionIn(beginning()) === session;
  },
  // Those that a sub-agent has called stand beside its own, or where those of its session do.
  transcriptsOf: (name, id) =>
    name.startsWith('agent-') ? ['.', '../..'].map((place) => `${place}/agent-${id}.jsonl`) : [`agent-${id}.jsonl`],
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

/** The session that a transcript is named after; undefined for one of a sub-agent. */
const sessionOf = (name: string): string | undefined => /^(?!agent-)(.+)\.jsonl$/.exec(name)?.[1];

/** The session that the first record of a transcript names, which may be cut off behind it. */
const sessionIn = (beginning: string): string | undefined =>
  /"sessionId":\s?"([^"]{1,128})"/.exec(beginning.split('\n', 1)[0] ?? '')?.[1];

/** A file that is torn tells nothing: the transcript says what matters. */
function objectIn(text: string): JsonObject {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
