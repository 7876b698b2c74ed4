/** The part of the plugin for opencode 2: it registers its hooks, and reads the events of the server. */

export const SECOND = `
const setup = async (host) => {
  // Some versions of opencode 1 call this too, with a host that has no sessions.
  if (!host || !host.session || !host.session.hook || !host.event || !host.event.subscribe) return undefined;
  const here = host.location && host.location.directory;
  /** The folder of each session. */
  const folders = new Map();
  const look = async (id) => {
    const answer = await host.session.get({ sessionID: id });
    const { parentID, tokens, location, model } = answer.data || answer;
    sessions.runs(id, model);
    if (location && location.directory) folders.set(id, location.directory);
    return { parent: parentID, isNew: Boolean(tokens) && !tokens.input && !tokens.output };
  };
  const sessions = sessionsIn(here || process.cwd(), look);
  /** Text for the model in each session until the turn is over. */
  const notes = new Map();
  let hearsPrompts = false;

  const prompted = async (id, text) => {
    const note = await sessions.prompted(id, text);
    if (note) notes.set(id, joined(notes.get(id), note));
  };
  const ends = (id) => {
    notes.delete(id);
    return sessions.ends(id);
  };
  const breaks = (id) => {
    const isTurn = sessions.isWorking(id);
    // A compaction that is aborted between two turns interrupts none.
    if (isTurn) sessions.breaks(id);
    return ends(id);
  };

  const asks = ({ sessionID, action, permission, resources, patterns }) =>
    sessions.sends(sessionID, "question", { permission: action || permission, patterns: resources || patterns });
  const questionOf = ({ title, description, options }) => ({
    header: title,
    question: description || title,
    options: (options || []).map(({ label, value, description }) => ({ label: label || value, description })),
  });

  const HANDLERS = {
    "session.created": ({ sessionID, parentID }) => {
      if (here) folders.set(sessionID, here);
      sessions.begins(sessionID, parentID);
    },
    "session.execution.started": () => {},
    "session.inbox.enqueued": ({ sessionID, item }) => {
      if (!hearsPrompts && item && item.type === "user") return prompted(sessionID, item.payload.text);
    },
    "session.text.ended": ({ sessionID, text }) => sessions.says(sessionID, text),
    "session.execution.succeeded": ({ sessionID }) => ends(sessionID),
    "session.execution.failed": ({ sessionID }) => breaks(sessionID),
    // A session continues after a shutdown, and at once if it is superseded.
    "session.execution.interrupted": ({ sessionID, reason }) =>
      reason === "shutdown" || reason === "superseded" ? undefined : breaks(sessionID),
    "permission.asked": asks,
    "permission.v2.asked": asks,
    "form.created": ({ form }) => {
      const { sessionID, metadata, fields } = form;
      if (sessionID !== "global" && metadata && metadata.kind === "question" && fields)
        return sessions.sends(sessionID, "question", { questions: fields.map(questionOf) });
    },
    "question.asked": ({ sessionID, questions }) => sessions.sends(sessionID, "question", { questions }),
  };

  /** Every plugin gets the events of the sessions of all folders, and is loaded once for each folder. */
  const isOurs = (id, location) => {
    const at = (location && location.directory) || folders.get(id);
    if (!here || at) return !here || at === here;
    // Its folder may be known by the time of its next event.
    folders.set(id, "");
    look(id).catch(() => {});
    return false;
  };
  const handle = safely(({ type, data, location }) => {
    if (globalThis[RUNS_IN_FIRST] || !data || !Object.hasOwn(HANDLERS, type)) return undefined;
    const id = data.sessionID || (data.form && data.form.sessionID);
    return isOurs(id, location || data.location) && HANDLERS[type](data);
  });

  const leaving = new AbortController();
  /** The next event is handled while this one is sent to ctx. */
  let handled = Promise.resolve();
  const listen = async () => {
    for await (const event of host.event.subscribe({ signal: leaving.signal })) {
      if (leaving.signal.aborted) return;
      handled = Promise.all([handled, handle(event)]);
    }
  };
  const registered = [];
  const hook = async (domain, name, handler) => {
    // A hook is called in this folder.
    const quietly = safely((event) => {
      if (here) folders.set(event.sessionID, here);
      return globalThis[RUNS_IN_FIRST] ? undefined : handler(event);
    });
    // A version may not have this hook.
    const registration = await Promise.resolve(domain && domain.hook && domain.hook(name, quietly)).catch(() => null);
    if (registration) registered.push(registration);
    return Boolean(registration);
  };

  hearsPrompts = await hook(host.session, "prompt", ({ sessionID, prompt }) =>
    prompted(sessionID, (prompt && prompt.text) || ""),
  );
  await hook(host.session, "context", ({ sessionID, system }) => {
    const text = notes.get(sessionID);
    if (text && Array.isArray(system)) system.push({ type: "text", text });
  });
  await hook(host.session, "compaction", ({ sessionID }) => {
    sessions.sends(sessionID, "pause", {});
  });
  await hook(host.tool, "execute.after", (event) => {
    const { tool, sessionID, id, toolCallID, input, status, result } = event;
    if (status === "error") return;
    const given = result && typeof result === "object" && !Array.isArray(result) ? result : { content: result };
    sessions.sends(sessionID, "tool_result", {
      tool_name: tool,
      tool_call_id: id || toolCallID,
      tool_input: input,
      tool_output: given.content,
      tool_told: given.metadata || given.structured,
    });
  });
  listen().catch(() => {});

  return safely(async () => {
    leaving.abort();
    for (const registration of registered) if (registration.dispose) await registration.dispose();
    await handled;
    await last;
  });
};
`;
