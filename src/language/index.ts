/** Exports what other rooms use of this one. They import `questions/question.ts` directly: readers of transcripts classify no message. */
export { endsByName } from './abandonment.ts';
export { beginsTask, CLASSES, type Classification, classifyMessage, DEEDS, latePrompt } from './classify.ts';
