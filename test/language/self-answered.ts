/** Changes that begin as questions do, or say the answer as well, and questions that only look like them: of our own writing. */
import type { Classification } from '../../src/core/message-class.ts';
import type { State } from './sentences.ts';

/** Sentences, a line each, that are of one class in each of these states. */
export const SELF_ANSWERED: readonly [states: readonly State[], classification: Classification, sentences: string][] = [
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `status should be "proposed"
status must be an enum
summary is cut off at the end
show a hint when the list is empty
show the value on hover
was better before
ok, was faster with the cache
who should be able to see it? only admins
who may delete? the owner
how many rows? 20
what should the limit be? 50 is enough
when should it refresh? every minute
what about gzip files? they should stream too
what about the footer? it must stay
what about errors? show them inline`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Clarification',
    `status please
status of the build
summary?
when you're done, show the diff
show me the diff when you have it
show the tests
was it better before?
was it better before
was ist das
was macht die Funktion
who should be able to see it?
who wrote this? just curious
how many rows does it show? I see only 10
where is the config? nothing in the docs
why does it fail? it must have a reason
what about errors? show me
what about the tests? did you run them`,
  ],
];
