/** Exports what other rooms use of this one. They import `questions/question.ts` directly: readers of transcripts classify no message. */
export { beginsTask, DEEDS } from './begins-task.ts';
export { endsByName } from './called-off.ts';
export { CLASSES, type Classification, classifyMessage } from './classify.ts';
export { latePrompt } from './late-prompt.ts';
