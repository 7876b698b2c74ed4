/** A model server of our own on 127.0.0.1: it answers by a script, and remembers what it was asked. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Asked, Wire } from './wire.ts';

/** Returns the model's answer to a request; null to a request that is not of the conversation, such as one for a title. */
export type Script = (asked: Asked) => Answer | null;

export interface ModelServer {
  url: string;
  /** Every request of the conversation, in order. */
  asked: Asked[];
  /** Checks if an answer that never ends is under way. */
  isHanging(): boolean;
  close(): Promise<void>;
}

/** Serves one model; requests that nobody knows are answered with 404, and told. */
export async function serveModel(wire: Wire, script: Script, tell: (line: string) => void): Promise<ModelServer> {
  const asked: Asked[] = [];
  let count = 0;
  let hanging = 0;
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const request_ = request.method === 'POST' ? wire.read(path, await bodyOf(request)) : null;
    if (request_ === null) {
      tell(`${request.method} ${path}: not for a model`);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not found"}}');
      return;
    }
    count += 1;
    const answer = script(request_);
    if (answer !== null) asked.push(request_);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of wire.events(answer ?? { text: 'A title' }, String(count).padStart(4, '0')))
      response.write(event);
    if (!answer?.hangs) return void response.end();
    hanging += 1;
    response.on('close', () => {
      hanging -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, isHanging: () => hanging > 0, close: () => closed(server) };
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
