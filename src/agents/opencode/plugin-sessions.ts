/** The part of the plugin in opencode that is the same in all its generations: what was heard of sessions, and what ctx is told of them. */

/**
 * Plain JavaScript: `directory` is where the agent works, and `look` gives what opencode itself says of a session, as
 * `{ parent, isNew }`, where it answers soon.
 */
export const SESSIONS = `
/** Longest wait for what opencode itself says of a session, in milliseconds: the rest is for ctx. */
const A_MOMENT = 1000;

function sessionsIn(directory, look) {
  /** Sessions that were heard of, and of a sub-agent's the one of its caller. */
  const known = new Map();
  const fresh = new Set();
  const started = new Set();
  /** The last words of each session, and those whose turn was broken off. */
  const words = new Map();
  const broken = new Set();
  /** Sessions that are at work on a prompt. */
  const working = new Set();

  const about = (id, event, more) => {
    let root = id;
    while (known.get(root)) root = known.get(root);
    const sub_agent = root === id ? null : id;
    return { hook_event_name: event, session_id: root, sub_agent, transcript_path: null, cwd: directory, ...more };
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
    says: (id, text) => words.set(id, text),
    /** Gives what the model is to be told. */
    prompted: async (id, prompt) => {
      await atMost(A_MOMENT, learn(id)).catch(() => {});
      broken.delete(id);
      working.add(id);
      // What a sub-agent is asked is its caller's business.
      if (known.get(id)) return "";
      const source = fresh.has(id) ? "startup" : "resume";
      const start = started.has(id) ? "" : await tell(about(id, "session_start", { source }));
      started.add(id);
      return joined(start, await tell(about(id, "prompt", { prompt })));
    },
    ends: (id) => {
      const text = words.get(id) || null;
      words.delete(id);
      const wasWorking = working.delete(id);
      // Between two turns it is only a compaction that ends.
      if (!broken.delete(id) && (wasWorking || text)) return tell(about(id, "turn_end", { text }));
    },
    breaks: (id) => {
      if (broken.has(id)) return;
      broken.add(id);
      return tell(about(id, "interrupt", {}));
    },
    tells: (id, event, more) => tell(about(id, event, more)),
  };
}
`;
