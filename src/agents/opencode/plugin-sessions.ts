/** The part of the plugin that both generations of opencode share: the sessions, and the events that are sent to ctx. */

/**
 * Plain JavaScript: `directory` is the folder that the agent works in, and `look` asks opencode about a session and returns
 * `{ parent, isNew }`, if it answers soon.
 */
export const SESSIONS = `
/** The longest time that opencode has to answer about a session, in milliseconds: the rest is for ctx. */
const A_MOMENT = 1000;

function sessionsIn(directory, look) {
  /** Known sessions, each with that of its caller if it is a sub-agent's. */
  const known = new Map();
  const fresh = new Set();
  const started = new Set();
  /** The last words of each session, and the sessions whose turn was interrupted. */
  const words = new Map();
  const broken = new Set();
  /** The model of each session. */
  const models = new Map();
  /** Sessions that are at work on a prompt. */
  const working = new Set();

  const payloadOf = (id, event, more) => {
    let root = id;
    while (known.get(root)) root = known.get(root);
    const sub_agent = root === id ? null : id;
    const model = models.get(id);
    const at = { session_id: root, sub_agent, transcript_path: null, cwd: directory };
    return { hook_event_name: event, ...at, ...(model && { model }), ...more };
  };

  const learn = async (id) => {
    if (known.has(id)) return;
    known.set(id, null);
    const { parent, isNew } = await look(id);
    known.set(id, parent || null);
    if (isNew) fresh.add(id);
  };

  return {
    isWorking: (id) => working.has(id),
    begins: (id, parent) => {
      known.set(id, parent || null);
      fresh.add(id);
    },
    runs: (id, model) => {
      const name = model && (model.modelID || model.id);
      if (typeof name === "string") models.set(id, name);
    },
    says: (id, text) => words.set(id, text),
    /** Sends a prompt; resolves to text for the model. */
    prompted: async (id, prompt) => {
      await atMost(A_MOMENT, learn(id)).catch(() => {});
      broken.delete(id);
      working.add(id);
      // The prompt of a sub-agent is its caller's.
      if (known.get(id)) return "";
      const source = fresh.has(id) ? "startup" : "resume";
      const start = started.has(id) ? "" : await send(payloadOf(id, "session_start", { source }));
      started.add(id);
      return joined(start, await send(payloadOf(id, "prompt", { prompt })));
    },
    ends: (id) => {
      const text = words.get(id) || null;
      words.delete(id);
      const wasWorking = working.delete(id);
      // Between two turns, it is only a compaction that ends.
      if (!broken.delete(id) && (wasWorking || text)) return send(payloadOf(id, "turn_end", { text }));
    },
    breaks: (id) => {
      if (broken.has(id)) return;
      broken.add(id);
      return send(payloadOf(id, "interrupt", {}));
    },
    sends: (id, event, more) => send(payloadOf(id, event, more)),
  };
}
`;
