/** `ctx secrets scan`. */
import { type ScanResult, type SecretFinding, scanSecrets } from '../../app/scan.ts';
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { type App, type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { shortOid, shortSession } from '../frame/words.ts';

interface Input {
  target?: string | undefined;
  rule?: string[] | undefined;
}

/** Returns the store if there is one: a path or a stream can be scanned without a store. */
function storeFor(app: App, target: string | undefined): ReturnType<App['repository']> | null {
  try {
    return app.watched('Scanning');
  } catch (error) {
    if (target !== undefined && error instanceof CtxError && error.code === 'not_a_repository') return null;
    throw error;
  }
}

function placeOf(finding: SecretFinding): string {
  const { where, commit, session, step, record, field, line } = finding;
  const parts = [commit === null ? `${where}:${line}` : `${shortOid(commit)}:${where}:${line}`];
  if (session !== null) parts.push(`session ${shortSession(session)}${step === null ? '' : `, step ${step}`}`);
  if (record !== null) parts.push(`record ${record}`);
  if (field !== null) parts.push(field);
  return parts.join(', ');
}

function* render({ findings, counts, scanned, binary }: ScanResult, theme: Theme): Generator<string> {
  for (const finding of findings) {
    const times = finding.count > 1 ? ` ${finding.count} times` : '';
    yield `${theme.bad(finding.rule)} ${finding.label}${times}  ${placeOf(finding)}\n`;
  }
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  const rules = Object.entries(counts).map(([rule, count]) => `${count} ${rule}`);
  const passedOver = binary === 0 ? '' : `, not through ${binary} that ${binary === 1 ? 'is' : 'are'} binary`;
  const looked = `Looked through ${plural(scanned, 'content')}${passedOver}.`;
  if (sum === 0) yield theme.good(`No secret found. ${looked}\n`);
  else yield theme.bad(`${plural(sum, 'secret')} found: ${rules.join(', ')}. ${looked}\n`);
}

const scanCommand = defineCommand<Input, ScanResult>({
  name: 'secrets scan',
  summary: 'look for secrets in the store, in files or in standard input',
  arguments: [
    {
      name: 'target',
      description: 'a revision, a file or folder, or - for standard input (default: the whole store)',
      optional: true,
      completes: 'files',
    },
  ],
  options: [{ flags: '--rule <name>', description: 'only this rule; again for another', many: true }],
  examples: [
    ['ctx secrets scan', 'what the store holds'],
    ['ctx secrets scan HEAD', 'what was saved last'],
    ['ctx secrets scan ./src --json', 'a step of a build that fails if there are secrets'],
  ],
  exits: [
    [1, 'there are secrets, or there is no such revision or file'],
    [5, 'the store is damaged'],
  ],
  mutates: false,
  input: (z) => z.object({ target: z.optional(z.string()), rule: z.optional(z.array(z.string())) }),
  run: (app, { target, rule }) => {
    const store = storeFor(app, target);
    const { directory, input } = app;
    const scan = (): ScanResult => scanSecrets(store, target, { directory, rules: rule, input });
    // A search that waits for input is ended by the signal itself.
    if (target === '-') return scan();
    return app.interruptible(scan, () => 'nothing was changed, and not everything was searched.');
  },
  problems: ({ strange }) => strange.map(({ where, what }) => `${where} is ${what}: it was not looked into`),
  render,
  exit: (result) => (result.findings.length > 0 ? 1 : 0),
});

export const secretsCommands: readonly Command[] = [scanCommand];
