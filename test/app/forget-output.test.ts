// The output of a command that is forgotten goes where it is told, and leaves the files that it was the beginning of whole.
import { expect, it } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeCommand } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { showRevision } from '../../src/app/show.ts';
import { makeHistory } from '../support/history.ts';
import { fsck } from '../support/store.ts';

const OUTPUT = '{\n  "name": "a shop of things",\n  "version": "1.0.0",\n  "license": "MIT of all licences",';
const FILE = `${OUTPUT}\n  "private": true\n}\n`;

it('leaves a file whole that was read before and is read again', () => {
  const history = makeHistory();
  const { repository } = history;
  startSession(repository, 'Look at the package');
  history.write('package.json', FILE);
  const { records } = observeCommand(repository, {
    command: 'head -4 package.json',
    exit_code: 0,
    output: OUTPUT,
  });
  flushStep(repository);
  forget(history.open(), { id: records[0] });
  expect(history.filesOf(showRevision(history.open(), 'STAGE').oid)).toEqual({ 'package.json': FILE });
  history.write('copy.json', FILE);
  flushStep(history.open());
  expect(history.filesOf(showRevision(history.open(), 'STAGE').oid)).toEqual({
    'copy.json': FILE,
    'package.json': FILE,
  });
  expect(JSON.stringify(showRevision(history.open(), 'STAGE'))).not.toContain('head -4');
  expect(fsck(history.store)).toBe('');
  expect(checkStore(history.open(), { full: true }).findings).toEqual([]);
});
