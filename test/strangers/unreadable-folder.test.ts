// A folder of transcripts with one in it that may not be looked into: that one is named, and nothing that it might hold.
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tellCases } from '../support/cases.ts';
import { makeProject, temporaryFolder } from '../support/store.ts';
import { NOBODY, watch, whyNotAsNobody } from './support.ts';

test('it is named by its own path', async (context) => {
  const why = whyNotAsNobody();
  if (why !== null) return context.skip(why);
  const { folder } = makeProject();
  const transcripts = temporaryFolder();
  const sub = join(transcripts, 'sub');
  mkdirSync(sub);
  for (const each of readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    chownSync(each, NOBODY, NOBODY);
  for (const top of [folder, transcripts])
    for (let at = top; at.includes('ctx-test'); at = join(at, '..')) chmodSync(at, 0o755);
  chmodSync(sub, 0);
  tellCases(1);
  const { stderr, stdout } = await watch(['ingest', transcripts], { cwd: folder, uid: NOBODY });
  expect(stderr + stdout).toContain(`${sub}: Cannot list ${sub}: `);
  rmSync(transcripts, { recursive: true, force: true });
});
