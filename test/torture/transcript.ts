/** Transcripts that are made for a case. */

const CONVERSATION = '5a3e0d71-dc1e-40d0-a2f3-5de6b9861c41';
const LONG_CONVERSATION = '6b4f0d71-dc1e-40d0-a2f3-5de6b9861c42';

/** A transcript of Claude Code in which a file is written: what is taken from it is an object that is known otherwise, too. */
export function transcriptOfWrite(path: string, content: string, sessionId = CONVERSATION): string {
  const cwd = '/home/dev/acme-http';
  const file = `${cwd}/${path}`;
  const told = (type: string, parent: number, message: object, more: object = {}): object => ({
    ...{ parentUuid: parent === 0 ? null : uuidOf(parent), isSidechain: false, userType: 'external', cwd, sessionId },
    ...{ version: '2.1.14', type, message, uuid: uuidOf(parent + 1), timestamp: '2026-01-15T14:02:13.020Z', ...more },
  });
  const use = { type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: file, content } };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: `File created successfully at: ${file}` };
  const lines = [
    told('user', 0, { role: 'user', content: 'Write it anew.' }),
    told('assistant', 1, { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [use] }),
    told(
      'user',
      2,
      { role: 'user', content: [result] },
      { toolUseResult: { type: 'create', filePath: file, content } },
    ),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** A transcript of Claude Code of so many turns that what it brings goes into a pack. */
export function longTranscript(turns = 80): string {
  const lines = Array.from({ length: 2 * turns }, (_, index) => {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    const text = `${role === 'user' ? 'Do' : 'Did'} number ${Math.floor(index / 2)}.`;
    const content = role === 'user' ? text : [{ type: 'text', text }];
    const message = { id: `msg_${index}`, type: 'message', role, content };
    const told = { type: role, uuid: uuidOf(index + 1), parentUuid: index === 0 ? null : uuidOf(index), message };
    return { ...told, sessionId: LONG_CONVERSATION, timestamp: '2026-01-15T14:02:13.020Z' };
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const uuidOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
