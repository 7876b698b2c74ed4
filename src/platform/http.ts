/** Sends one request to a server and reads its whole answer, within a time and up to a size. */

/** The answer of a server; `failed` if there is none, or only a part of one. */
export type Answer = { status: number; text: string; retryAfter: number | null } | { failed: string };

/** Largest answer that is read, in bytes. */
const ANSWER_LIMIT = 4 * 1024 * 1024;

/**
 * Posts JSON. No redirect is followed: a key must not reach another server.
 * @param timeout for the whole answer, in milliseconds
 */
export async function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
  timeout: number,
): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      size += piece.length;
      if (size > ANSWER_LIMIT) return { failed: `its answer is larger than ${ANSWER_LIMIT / 1_048_576} MiB` };
    }
    return {
      status: response.status,
      text: Buffer.concat(pieces).toString('utf8'),
      retryAfter: secondsToWait(response.headers),
    };
  } catch (error) {
    return { failed: reasonOf(error as Error & { cause?: { code?: string; message?: string } }, timeout) };
  }
}

/** Returns the seconds after which a server wants to be asked again: a number, or a date by the server's own clock; else null. */
function secondsToWait(headers: Headers): number | null {
  const wait = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,6}$/.test(wait)) return Number(wait);
  const seconds = (Date.parse(wait) - Date.parse(headers.get('date') ?? '')) / 1000;
  return seconds >= 0 ? seconds : null;
}

/** Codes of a connection that a server has closed too early. */
const CUT = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function reasonOf(
  { name, message, cause }: Error & { cause?: { code?: string; message?: string } },
  timeout: number,
): string {
  if (name === 'TimeoutError') return `it gave no whole answer within ${timeout / 1000} s`;
  const code = cause?.code ?? '';
  return CUT.has(code) ? 'the connection was closed before its whole answer' : code || (cause?.message ?? message);
}

/** Waits for some time. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, milliseconds);
  });
