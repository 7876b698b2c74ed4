/** Words that praise or publish in one sense and say in another how a thing looks or where it goes: of our own writing. */
import type { Classification } from '../../src/core/message-class.ts';
import type { State } from './sentences.ts';

const WORKING: readonly State[] = ['Running', 'Interrupted'];

/** Sentences, a line each, that are of one class in each of these states. */
export const SENSES: readonly [states: readonly State[], classification: Classification, sentences: string][] = [
  [
    ['PendingComplete'],
    'Modification',
    `push it to the right
push it up please
push this up
push the legend to the right
push it to the top
legend on the right please
on the right
in green please
right legend please
right legend
solid please
solid, please
pls clean
better please
merge them
merge these please
tag them
merge it into the header`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `push it
push it please
push it up to github
push up the branch
push it to main
push to origin
push this to production
merge it
merge it into main
please merge this into develop
merge them into main
merge all of it
ship it please
ship the working version
solid
solid work
legend
you're a legend
you are a legend
that's right
this is the best
the best
looks good please merge
great, please merge
love the clean solution
thanks for the great work`,
  ],
  [
    WORKING,
    'Modification',
    `give up the lock
give up the slot after a minute
give up its lock
give up my seat`,
  ],
  [
    WORKING,
    'Abandon',
    `give up
I give up
give up on this
give up the task
I give up, it's too hard
never mind its working now
forget it the old one is fine`,
  ],
];
