/** The part of the plugin for opencode 1, which calls it with a client and takes its hooks. */

export const FIRST = `
const server = async ({ directory, client }) => {
  globalThis[RUNS_IN_FIRST] = true;
  const sessions = sessionsIn(directory, async (id) => {
    const { data } = await client.session.get({ path: { id } });
    return { parent: data.parentID };
  });
  /** Sessions that are being summed up: the text of a summary is no answer. */
  const compacting = new Set();
  /** True if ctx answers for the user by its rules. */
  const ANSWERS = COMMAND.endsWith(" --permissions");
  /** Inputs of the tools that run, by their calls. */
  const inputs = new Map();

  const EVENTS = {
    "session.created": ({ info }) => sessions.begins(info.id, info.parentID),
    // In older versions, only this shows a compaction.
    "message.updated": ({ info }) => {
      if (info.summary === true && !(info.time && info.time.completed)) compacting.add(info.sessionID);
    },
    "message.part.updated": ({ part }) => {
      const isSaid = part.type === "text" && part.time && part.time.end && !part.synthetic;
      if (isSaid && !compacting.has(part.sessionID)) sessions.says(part.sessionID, part.text);
    },
    "session.compacted": ({ sessionID }) => {
      compacting.delete(sessionID);
    },
    "session.idle": ({ sessionID }) => {
      compacting.delete(sessionID);
      return sessions.ends(sessionID);
    },
    "session.error": ({ sessionID }) => {
      // A compaction that fails between two turns interrupts none.
      if (!sessionID || (compacting.has(sessionID) && !sessions.isWorking(sessionID))) return;
      return sessions.breaks(sessionID);
    },
    "permission.asked": async ({ id, sessionID, permission, patterns, tool }) => {
      const call = tool && tool.callID;
      const said = await sessions.sends(sessionID, "question", {
        permission,
        patterns,
        ...(ANSWERS && inputs.has(call) && { permission_input: inputs.get(call), tool_call_id: call }),
      });
      const response = { allow: "once", deny: "reject" }[said];
      const path = { id: sessionID, permissionID: id };
      if (ANSWERS && response) await client.postSessionIdPermissionsPermissionId({ path, body: { response } });
    },
    "question.asked": ({ sessionID, questions }) => sessions.sends(sessionID, "question", { questions }),
  };

  return {
    event: safely(({ event }) => EVENTS[event.type] && EVENTS[event.type](event.properties)),

    "chat.message": safely(async ({ sessionID }, { message, parts }) => {
      const texts = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []));
      sessions.runs(sessionID, message.model);
      const text = await sessions.prompted(sessionID, joined(...texts));
      const id = parts.length > 0 ? parts.at(-1).id + "x" : "prt_ctx";
      if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    }),

    ...(ANSWERS && {
      "tool.execute.before": safely(({ callID }, { args }) => {
        inputs.set(callID, args);
      }),
    }),

    "tool.execute.after": safely(({ tool, sessionID, callID, args }, { output, metadata }) => {
      inputs.delete(callID);
      sessions.sends(sessionID, "tool_result", {
        tool_name: tool,
        tool_call_id: callID,
        tool_input: args,
        tool_output: output,
        tool_told: metadata,
      });
    }),

    "experimental.session.compacting": safely(({ sessionID }) => {
      compacting.add(sessionID);
      sessions.sends(sessionID, "pause", {});
    }),

    // Not every version calls it: it waits for the events that are not sent yet.
    dispose: safely(() => last),
  };
};
`;
