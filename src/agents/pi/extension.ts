/** The extension that ctx puts into pi: it passes events on to ctx, and what ctx says on to the model. */
import { TELLING } from '../shared/own-file.ts';

export const EXTENSION = String.raw`${TELLING}
const textOf = (content) =>
  typeof content === "string"
    ? content
    : (content || []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

export default function ctx(pi) {
  /** What the model is to be told with the next prompt. */
  let waiting = "";
  let isUsers = true;

  const about = (session, event, more) => ({
    hook_event_name: event,
    session_id: session.sessionManager.getSessionId(),
    transcript_path: session.sessionManager.getSessionFile() || null,
    cwd: session.cwd,
    ...more,
  });
  const on = (event, handler) => pi.on(event, safely(handler));

  on("session_start", (event, session) => {
    tell(about(session, "session_start", { source: event.reason })).then((said) => {
      waiting = said;
    });
  });

  on("input", (event, session) => {
    isUsers = event.source !== "extension";
    // What is said while the agent works begins no run of its own, with which the model could be told anything.
    if (isUsers && event.streamingBehavior)
      tell(about(session, "prompt", { prompt: event.text, while_at_work: true }));
  });

  on("before_agent_start", async (event, session) => {
    // What ctx has said at the start reaches the model, also where it is late now.
    const asked = isUsers ? await atMost(LONGEST, tell(about(session, "prompt", { prompt: event.prompt }))) : "";
    const content = joined(waiting, asked);
    waiting = "";
    return content ? { message: { customType: "ctx", content, display: false } } : undefined;
  });

  on("tool_result", (event, session) => {
    tell(
      about(session, "tool_result", {
        tool_name: event.toolName,
        tool_call_id: event.toolCallId,
        tool_input: event.input,
        tool_output: textOf(event.content),
        truncated: Boolean(event.details && event.details.truncation),
        failed: event.isError === true,
      }),
    );
  });

  on("agent_end", (event, session) => {
    const answer = (event.messages || []).filter((message) => message.role === "assistant").at(-1) || {};
    const isBroken = answer.stopReason === "aborted" || answer.stopReason === "error";
    tell(about(session, isBroken ? "interrupt" : "turn_end", isBroken ? {} : { text: textOf(answer.content) }));
  });

  on("session_before_compact", (event, session) => {
    tell(about(session, "pause", {}));
  });

  // pi ends when this does: what can be told in the time that there is is told before.
  on("session_shutdown", async (event, session) => {
    await tell(about(session, "end", {}));
  });
}
`;
