/** The plugin that ctx puts into opencode: it passes events on to ctx, and what ctx says on to the model. */
import { TELLING } from '../shared/own-file.ts';

export const PLUGIN = `${TELLING}
/** Longest wait for what opencode itself says of a session, in milliseconds: the rest is for ctx. */
const A_MOMENT = 1000;

export const ctx = async ({ directory, client }) => {
  /** Sessions that were heard of, and of a sub-agent's the one of its caller. */
  const known = new Map();
  const created = new Set();
  const started = new Set();
  /** The last words of each session, and those whose turn was broken off. */
  const words = new Map();
  const broken = new Set();
  /** Sessions that are at work on a prompt, and those that sum up what was said: what is written then is no answer. */
  const working = new Set();
  const compacting = new Set();

  const about = (id, event, more) => {
    let root = id;
    while (known.get(root)) root = known.get(root);
    const sub_agent = root === id ? null : id;
    return { hook_event_name: event, session_id: root, sub_agent, transcript_path: null, cwd: directory, ...more };
  };

  const learn = async (id) => {
    if (known.has(id)) return;
    known.set(id, null);
    const { data } = await client.session.get({ path: { id } });
    known.set(id, data.parentID || null);
  };

  const EVENTS = {
    "session.created": ({ info }) => {
      known.set(info.id, info.parentID || null);
      created.add(info.id);
    },
    // Older versions tell only so that they compact.
    "message.updated": ({ info }) => {
      if (info.summary === true && !(info.time && info.time.completed)) compacting.add(info.sessionID);
    },
    "message.part.updated": ({ part }) => {
      const isSaid = part.type === "text" && part.time && part.time.end && !part.synthetic;
      if (isSaid && !compacting.has(part.sessionID)) words.set(part.sessionID, part.text);
    },
    "session.compacted": ({ sessionID }) => {
      compacting.delete(sessionID);
    },
    "session.idle": ({ sessionID }) => {
      const text = words.get(sessionID) || null;
      words.delete(sessionID);
      compacting.delete(sessionID);
      const wasWorking = working.delete(sessionID);
      // Between two turns it is only a compaction that ends.
      if (!broken.delete(sessionID) && (wasWorking || text)) return tell(about(sessionID, "turn_end", { text }));
    },
    "session.error": ({ sessionID }) => {
      if (!sessionID || broken.has(sessionID)) return;
      // Between two turns a compaction that fails breaks none off.
      if (compacting.has(sessionID) && !working.has(sessionID)) return;
      broken.add(sessionID);
      return tell(about(sessionID, "interrupt", {}));
    },
    "permission.asked": ({ sessionID, permission, patterns }) =>
      tell(about(sessionID, "question", { permission, patterns })),
    "question.asked": ({ sessionID, questions }) => tell(about(sessionID, "question", { questions })),
  };

  return {
    event: safely(({ event }) => EVENTS[event.type] && EVENTS[event.type](event.properties)),

    "chat.message": safely(async ({ sessionID }, { message, parts }) => {
      await atMost(A_MOMENT, learn(sessionID)).catch(() => {});
      broken.delete(sessionID);
      working.add(sessionID);
      // What a sub-agent is asked is its caller's business.
      if (known.get(sessionID)) return;
      const source = created.has(sessionID) ? "startup" : "resume";
      const start = started.has(sessionID) ? "" : await tell(about(sessionID, "session_start", { source }));
      started.add(sessionID);
      const texts = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []));
      const asked = await tell(about(sessionID, "prompt", { prompt: joined(...texts) }));
      const text = joined(start, asked);
      const id = parts.length > 0 ? parts.at(-1).id + "x" : "prt_ctx";
      if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    }),

    "tool.execute.after": safely(({ tool, sessionID, callID, args }, { output, metadata }) => {
      tell(
        about(sessionID, "tool_result", {
          tool_name: tool,
          tool_call_id: callID,
          tool_input: args,
          tool_output: output,
          tool_told: metadata,
        }),
      );
    }),

    "experimental.session.compacting": safely(({ sessionID }) => {
      compacting.add(sessionID);
      tell(about(sessionID, "pause", {}));
    }),

    // Not every version calls it: what is still to be told is told before the end.
    dispose: safely(() => last),
  };
};
`;
