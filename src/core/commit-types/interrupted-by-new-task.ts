/** The type `InterruptedByNewTask`: the session was saved because the user began another task. */
import type { Infer, Zod } from '../schema.ts';
import { oneLine } from '../text.ts';
import { type CommitTypeRow, WITHOUT_FIELDS } from './type.ts';

const schema = (z: Zod) => z.object({ kind: z.literal('InterruptedByNewTask'), new_task_summary: z.string() });
/** The field had another name before. A document that is stored is never rewritten. */
const storedSchema = (z: Zod) =>
  z.union([schema(z), z.object({ kind: z.literal('InterruptedByNewTask'), new_task: z.string() })]);

type Interrupted = Infer<typeof schema>;
type StoredInterrupted = Infer<typeof storedSchema>;

/** Makes the type of a session that gave way to a task. */
export const beforeNewTask = (new_task_summary: string): Interrupted => ({
  kind: 'InterruptedByNewTask',
  new_task_summary,
});

const newTaskOf = (type: StoredInterrupted): string => ('new_task' in type ? type.new_task : type.new_task_summary);

export const interruptedByNewTask = {
  ...WITHOUT_FIELDS,
  schema,
  storedSchema,
  current: (type: StoredInterrupted) => ('new_task' in type ? beforeNewTask(type.new_task) : type),
  option: 'interrupted',
  make: ({ newTask }) => beforeNewTask(newTask()),
  message: (_type, task) => `Saved before starting new task: ${task}`,
  trailers: (type: StoredInterrupted) => [['Ctx-New-Task', newTaskOf(type)]],
  ending: (type: StoredInterrupted) => `Saved when a new task began: ${oneLine(newTaskOf(type))}`,
  withTexts: (type: StoredInterrupted, change) => {
    const text = newTaskOf(type);
    const changed = change(text);
    return changed === text ? type : { ...type, ['new_task' in type ? 'new_task' : 'new_task_summary']: changed };
  },
} satisfies CommitTypeRow;
