/** Builds a store of ended sessions with many messages: `tsx find-store.ts <project> <messages>`. Prints the bytes of their texts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initRepository } from '../src/app/init.ts';
import { prepareRecord } from '../src/app/session/records.ts';
import type { AnyBody } from '../src/core/records/record.ts';
import { newSession } from '../src/core/session/session.ts';
import { MAIN } from '../src/git/layout.ts';
import { inPack } from '../src/git/objects/bulk-pack.ts';
import { releasePacks } from '../src/git/objects/keep-file.ts';
import { withRefs } from '../src/git/refs/packed-refs.ts';
import { type Chain, writeStep } from '../src/history/chain/chain.ts';
import { archiveRef } from '../src/history/names/layout.ts';
import { openRepository } from '../src/history/store/repository.ts';
import { chance, ownFiles } from './own-text.ts';
import { writeSettings } from './project.ts';

/** Messages of a session, and of one of its steps. */
const [SESSION, STEP] = [330, 11];
/** Longest text of a message, in characters. */
const LONGEST = 700;

const [project = '', count] = process.argv.slice(2);
mkdirSync(project, { recursive: true });
initRepository({ directory: project });
writeSettings(project, { fsync: false });
const repository = openRepository({ directory: project });
const main = repository.refs.read(MAIN) ?? '';
const files = ownFiles();
const next = chance();
const at = 1_769_040_000;
let bytes = 0;

/** A piece of this project's own text. */
function words(most: number): string {
  const parts = files[next(files.length)] as string[];
  const part = parts[next(parts.length)] as string;
  const text = part.slice(0, 40 + next(most));
  bytes += Buffer.byteLength(text);
  return text;
}

/** A message of a session: a prompt, then answers that run commands. */
function messageOf(session: number, index: number): AnyBody {
  const id = `${session}-${index}-4b037dd2-ccbc-486d-bac2-3598880976f9`;
  const isPrompt = index % STEP === 0;
  const call = {
    type: 'dynamic-tool',
    toolName: 'Bash',
    toolCallId: `call_${session}_${index}`,
    input: { command: words(80) },
  };
  const parts = isPrompt
    ? [{ type: 'text', text: words(300) }]
    : [
        { type: 'text', text: words(LONGEST) },
        { ...call, state: 'output-available', output: words(LONGEST) },
      ];
  const usage = { input: 20, output: 300, cache_read: 30_000, cache_write: 900 };
  const metadata = {
    created_at: at + session * 4_000 + index,
    ...(isPrompt ? {} : { model: `model-${session % 5}`, usage }),
  };
  return { kind: 'message', message: { id, role: isPrompt ? 'user' : 'assistant', parts, metadata } };
}

const heads = new Map<string, string>();
for (let session = 0; session * SESSION < Number(count); session += 1)
  inPack(repository, (objects) => {
    const within = { ...repository, objects };
    const task = words(120).split('\n')[0] || 'A task';
    let current = newSession(repository.ids(), task, 'claude-code', main, at + session * 4_000);
    let chain: Chain | null = null;
    for (let index = 0; index < SESSION; index += STEP) {
      const bodies = Array.from({ length: STEP }, (_, offset) => messageOf(session, index + offset));
      const records = bodies.map((body) => prepareRecord(within, objects, at + session * 4_000 + index, { body }));
      chain = writeStep(objects, { chain, session: current, records, at });
      current = chain.session;
    }
    objects.publish();
    releasePacks(objects.kept());
    heads.set(archiveRef(current.session_id), (chain as Chain).head);
  });
writeFileSync(repository.layout.packedRefs, withRefs('', heads), { mode: 0o600 });
writeFileSync(join(project, 'bytes'), String(bytes));
