/** The extension that ctx puts into pi: it passes events to ctx, and the answers of ctx to the model. */
import { SENDER } from '../shared/own-file.ts';

export const EXTENSION = String.raw`${SENDER}
const textOf = (content) =>
  typeof content === "string"
    ? content
    : (content || []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

export default function ctx(pi) {
  /** Text for the model that waits for the next prompt. */
  let waiting = "";
  let isUsers = true;

  const payloadOf = (session, event, more) => ({
    hook_event_name: event,
    session_id: session.sessionManager.getSessionId(),
    transcript_path: session.sessionManager.getSessionFile() || null,
    cwd: session.cwd,
    ...(session.model && { model: session.model.id }),
    ...more,
  });
  const on = (event, handler) => pi.on(event, safely(handler));

  on("session_start", (event, session) => {
    send(payloadOf(session, "session_start", { source: event.reason })).then((said) => {
      waiting = said;
    });
  });

  on("input", (event, session) => {
    isUsers = event.source !== "extension";
    // A message while the agent works begins no run of its own, so it can carry no text for the model.
    if (isUsers && event.streamingBehavior)
      send(payloadOf(session, "prompt", { prompt: event.text, while_at_work: true }));
  });

  on("before_agent_start", async (event, session) => {
    // The answer to the start reaches the model even if the answer to the prompt is late.
    const asked = isUsers ? await atMost(LONGEST, send(payloadOf(session, "prompt", { prompt: event.prompt }))) : "";
    const content = joined(waiting, asked);
    waiting = "";
    return content ? { message: { customType: "ctx", content, display: false } } : undefined;
  });

  on("tool_result", (event, session) => {
    send(
      payloadOf(session, "tool_result", {
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
    send(payloadOf(session, isBroken ? "interrupt" : "turn_end", isBroken ? {} : { text: textOf(answer.content) }));
  });

  on("session_before_compact", (event, session) => {
    send(payloadOf(session, "pause", {}));
  });

  // pi ends when this does: the event is sent before, as far as there is time.
  on("session_shutdown", async (event, session) => {
    await send(payloadOf(session, "end", {}));
  });
}
`;
