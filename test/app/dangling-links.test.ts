// A link that leads nowhere, in a place of an agent's, is named: nobody knows what conversations lie behind it.
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderNameOf } from '../../src/agents/claude-code/transcripts.ts';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { catchUp } from '../../src/app/capture/catch-up.ts';
import { examine } from '../../src/app/doctor/doctor.ts';
import { ingestMany } from '../../src/app/intake/many.ts';
import { findTranscripts } from '../../src/app/transcript/find-transcripts.ts';
import { conversation, put, putTranscript } from '../support/homes.ts';
import { makeProject, type Project, temporaryFolder } from '../support/store.ts';

let project: Project;
let home: string;
let environment: Record<string, string>;

beforeEach(() => {
  project = makeProject();
  home = temporaryFolder();
  environment = { HOME: home };
});

const status = () => captureStatus(project.open(), { environment });
const named = (): string[] => status().problems.map(({ reason, file }) => `${reason} ${file.slice(home.length + 1)}`);

/** Makes a link to what is not there. */
function dangle(path: string): string {
  const link = join(home, path);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync('/nonexistent/gone', link);
  return link;
}

const claude = (): string => `.claude/projects/${folderNameOf(project.folder)}`;
const chats = (): string => `.cursor/chats/${createHash('md5').update(project.folder).digest('hex')}`;

const links: [agent: string, link: () => string][] = [
  ['claude-code', () => '.claude'],
  ['claude-code', () => '.claude/projects'],
  ['claude-code', claude],
  ['claude-code', () => `${claude()}/41fa3607-9d41-5607-905b-d0f910ab2865.jsonl`],
  ['codex', () => '.codex'],
  ['codex', () => '.codex/sessions'],
  ['codex', () => '.codex/archived_sessions'],
  ['codex', () => '.codex/sessions/2026'],
  ['codex', () => '.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-1.jsonl'],
  ['gemini', () => '.gemini/tmp'],
  ['gemini', () => '.gemini/tmp/p'],
  ['pi', () => '.pi'],
  ['pi', () => '.pi/agent/sessions'],
  ['cursor', () => '.cursor/projects'],
  ['cursor', chats],
  ['copilot', () => '.copilot'],
  ['copilot', () => '.copilot/session-state'],
  ['copilot', () => '.copilot/session-state/s1'],
  ['opencode', () => '.local/share/opencode'],
  ['opencode', () => '.local/share/opencode/opencode.db'],
  ['opencode', () => '.local/share/opencode/storage'],
];

describe('is named', () => {
  test.each(links)('in a place of %s: %s', (agent, place) => {
    const link = dangle(place());
    const problem = { agent, file: link, reason: 'missing', hint: expect.stringContaining(link) };
    expect(named()).toContain(`missing ${place()}`);
    expect(status()).toMatchObject({ complete: false, conversations: [] });
    expect(status().problems).toContainEqual(expect.objectContaining(problem));
    expect(new Set(named()).size).toBe(named().length);
    expect(catchUp(project.open(), { environment, all: true }).problems).toHaveLength(named().length);
    const options = { directory: project.folder, environment, node: process.execPath, program: 'ctx' };
    const found = examine(options).findings.filter(({ kind }) => kind === 'capture');
    expect(found).toContainEqual(
      expect.objectContaining({ severity: 'problem', message: status().problems[0]?.message }),
    );
    unlinkSync(link);
    expect(status()).toMatchObject({ complete: true, problems: [] });
  });

  test.each([
    ['in the folder of a project', () => `${claude()}/a.jsonl`],
    ['that was to be the folder of a day', () => '.codex/sessions/2026/11/01'],
    ['that was to be the folder of all', () => '.claude/projects'],
  ])('by an ingest of the home: %s', (_, place) => {
    const link = dangle(place());
    const { problems, passed_over } = ingestMany(project.open(), [home], { environment });
    expect([problems, passed_over]).toEqual([[expect.objectContaining({ file: link, reason: 'missing' })], []]);
  });

  test('where it is all that an ingest is asked for', () => {
    const link = dangle('.claude/projects');
    expect(() => findTranscripts([link], undefined)).toThrow(`${link} is a link that leads nowhere.`);
    expect(() => findTranscripts([join(link, 'x')], undefined)).toThrow(`${link} is a link that leads nowhere.`);
  });
});

describe('is not named', () => {
  test.each([
    ['outside of the places', () => 'backup/x'],
    ["where another project's folder was", () => '.claude/projects/-elsewhere'],
    ["where another project's chats were", () => `.cursor/chats/${'0'.repeat(32)}`],
    ['that an editor locks a file with', () => `${claude()}/.#a.jsonl`],
    ['beside the conversations', () => `${claude()}/s1/tool-results`],
  ])('one %s', (_, place) => {
    dangle(place());
    expect(status()).toMatchObject({ complete: true, problems: [] });
    // An ingest is of every project.
    const isOther = place() === '.claude/projects/-elsewhere';
    expect(ingestMany(project.open(), [home], { environment }).problems).toHaveLength(isOther ? 1 : 0);
  });

  test('a link that a session was read from, outside the places of the agents', () => {
    const target = put(join(temporaryFolder(), 'a.jsonl'), conversation('questions.jsonl', project.folder));
    const link = join(temporaryFolder(), 'b.jsonl');
    symlinkSync(target, link);
    ingestMany(project.open(), [link]);
    rmSync(target);
    expect(status()).toMatchObject({ complete: true, problems: [] });
  });

  test('a link that leads somewhere', () => {
    const elsewhere = temporaryFolder();
    mkdirSync(join(home, '.claude'));
    putTranscript(elsewhere, project.folder, 'a.jsonl', conversation('questions.jsonl', project.folder));
    symlinkSync(join(elsewhere, '.claude/projects'), join(home, '.claude/projects'));
    expect(status()).toMatchObject({ problems: [], conversations: [{ captured: 'never' }] });
  });
});
