/** Files beside a transcript of Claude Code: `<session>/subagents/`, before 2.1 `agent-<id>.jsonl`; beside a sub-agent's, `agent-<id>.meta.json`. */
import type { About, Companion } from '../contract/agent.ts';
import { idOf, parseRecord } from '../shared/fields.ts';

export const claudeCodeCompanion: Companion = {
  placesOf: (name) => {
    const [, own] = /^(agent-.+)\.jsonl$/.exec(name) ?? [];
    return own === undefined ? [] : [`${own}.meta.json`];
  },
  // The transcripts of a workflow are two folders deeper, in `workflows/<run>/`.
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
  // The transcripts that a sub-agent has started are beside its own, or with those of its session.
  transcriptsOf: (name, id) =>
    name.startsWith('agent-') ? ['.', '../..'].map((place) => `${place}/agent-${id}.jsonl`) : [`agent-${id}.jsonl`],
  about: (text) => {
    const meta = parseRecord(text) ?? {};
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

/** Returns the session that a transcript is named after; undefined for a sub-agent's. */
const sessionOf = (name: string): string | undefined => /^(?!agent-)(.+)\.jsonl$/.exec(name)?.[1];

/** Returns the session that the first record of a transcript names; the record may be cut off after it. */
const sessionIn = (beginning: string): string | undefined =>
  /"sessionId":\s?"([^"]{1,128})"/.exec(beginning.split('\n', 1)[0] ?? '')?.[1];
