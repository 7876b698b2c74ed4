// The order of the test files: those that take long come first, so that no worker is left alone with one at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, the longest first; then, by folder, those that run the program much. */
const LONG = [
  'test/torture.test.ts',
  'test/strangers/bombs.test.ts',
  'test/cli/secrets.test.ts',
  'test/strangers/memory.test.ts',
  'test/strangers/places.test.ts',
  'test/strangers/terminal.test.ts',
  'test/secrets/linear.test.ts',
  'test/secrets/corpus.test.ts',
  'test/app/forget-begun.test.ts',
  'test/history/flush.test.ts',
  'test/strangers/',
  'test/fuzz/',
  'test/cli/',
  'test/agents/',
];

/** Those that need a process of their own come last, but for long ones: a process is shared by files that follow one another. */
function placeOf({ moduleId, project }: TestSpecification): number {
  const place = LONG.findIndex((path) => moduleId.includes(`/${path}`));
  const isAlone = project.config.isolate && place !== 0;
  return isAlone ? LONG.length + 1 : place < 0 ? LONG.length : place;
}

export class LongestFirst extends BaseSequencer {
  /** Files of one place stay in the order that vitest gives them: larger ones first, or by how long they took. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
