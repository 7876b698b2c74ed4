// An agent of the Agent Client Protocol, made with the SDK: it answers each prompt with the same deeds, in a fixed order.
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

const can = (what) => (process.env.ACP_AGENT ?? '').split(',').includes(what);
/** Prompts of each session, as the agent got them. */
const sessions = new Map();
let number = 0;

const text = (words) => ({ type: 'text', text: words });

async function answer(client, sessionId, prompt) {
  const update = (fields) => client.notify(methods.client.session.update, { sessionId, update: fields });
  const said = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  sessions.get(sessionId).push(said);
  await update({ sessionUpdate: 'agent_thought_chunk', content: text('I will look ') });
  await update({ sessionUpdate: 'agent_thought_chunk', content: text('first.') });
  await update({ sessionUpdate: 'plan', entries: [{ content: 'Look', priority: 'high', status: 'completed' }] });
  const call = { toolCallId: `call-${said.length}-${number}`, title: 'Write notes', kind: 'edit' };
  await update({ sessionUpdate: 'tool_call', ...call, status: 'pending', rawInput: { path: 'notes.md' } });
  const options = [
    { kind: 'allow_once', name: 'Allow', optionId: 'yes' },
    { kind: 'reject_once', name: 'Reject', optionId: 'no' },
  ];
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: call,
    options,
  });
  const status = outcome.outcome === 'selected' && outcome.optionId === 'yes' ? 'completed' : 'failed';
  await update({
    sessionUpdate: 'tool_call_update',
    toolCallId: call.toolCallId,
    status,
    content: [{ type: 'content', content: text('Written.') }],
  });
  await update({ sessionUpdate: 'usage_update', used: 1200, size: 200000, cost: { amount: 0.01, currency: 'USD' } });
  await update({ sessionUpdate: 'agent_message_chunk', content: text('You said: ') });
  await update({ sessionUpdate: 'agent_message_chunk', content: text(said.at(-1) ?? '') });
  return { stopReason: 'end_turn' };
}

const app = agent({ name: 'example' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: 'example', version: '1.0.0' },
    agentCapabilities: {
      ...(can('load') ? { loadSession: true } : {}),
      sessionCapabilities: {
        ...(can('list') ? { list: {} } : {}),
        ...(can('resume') ? { resume: {} } : {}),
        close: {},
      },
    },
  }))
  .onRequest(methods.agent.session.new, () => {
    number += 1;
    const sessionId = `${process.env.ACP_PREFIX ?? 'session'}-${number}`;
    sessions.set(sessionId, []);
    return { sessionId };
  })
  .onRequest(methods.agent.session.list, () => ({
    sessions: [...sessions.keys()].map((sessionId) => ({ sessionId, cwd: process.cwd() })),
  }))
  .onRequest(methods.agent.session.resume, ({ params }) => {
    sessions.set(params.sessionId, []);
    return {};
  })
  .onRequest(methods.agent.session.close, () => ({}))
  .onRequest(methods.agent.session.prompt, ({ params, client }) => answer(client, params.sessionId, params.prompt));
if (can('load'))
  app.onRequest(methods.agent.session.load, async ({ params, client }) => {
    sessions.set(params.sessionId, []);
    const update = (fields) =>
      client.notify(methods.client.session.update, { sessionId: params.sessionId, update: fields });
    await update({ sessionUpdate: 'user_message_chunk', content: text('The agent knows it') });
    await update({ sessionUpdate: 'agent_message_chunk', content: text('Yes.') });
    return {};
  });

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
