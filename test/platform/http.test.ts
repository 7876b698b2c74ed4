// Tests one request to a server: when it wants to be asked again.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { postJson } from '../../src/platform/http.ts';

const DATE = 'Sat, 28 Nov 2026 12:00:00 GMT';

test.each<[string, Record<string, string>, number | null]>([
  ['nothing', {}, null],
  ['seconds', { 'retry-after': '2' }, 2],
  ['a date by the clock of the server', { 'retry-after': 'Sat, 28 Nov 2026 12:00:30 GMT', date: DATE }, 30],
  ['a date that is over', { 'retry-after': 'Sat, 28 Nov 2026 11:00:30 GMT', date: DATE }, null],
  ['neither', { 'retry-after': 'soon', date: DATE }, null],
])('a server that names %s is asked again then', async (_what, headers, retryAfter) => {
  const server = createServer((_request, response) => response.writeHead(429, headers).end('slow down'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const answer = await postJson(`http://127.0.0.1:${port}`, {}, {}, 30_000);
    expect(answer).toEqual({ status: 429, text: 'slow down', retryAfter });
  } finally {
    server.close();
  }
});
