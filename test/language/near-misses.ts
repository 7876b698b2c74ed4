/** Phrases that end, start or confirm a task, and sentences that only look like them: of our own writing. */
import type { Classification } from '../../src/core/message-class.ts';
import type { State } from './sentences.ts';

const WORKING: readonly State[] = ['Running', 'Interrupted'];

/** Sentences, a line each, that are of one class in each of these states. */
export const NEAR_MISSES: readonly [states: readonly State[], classification: Classification, sentences: string][] = [
  [
    WORKING,
    'Abandon',
    `please cancel, the requirement is gone
stop, we won't do this
I changed my mind, don't do this at all
throw it all away, we're not doing this
forget about the whole thing`,
  ],
  [['AwaitingUser', 'PendingComplete'], 'Abandon', 'forget about the whole thing\nstop, we will not do it'],
  [
    WORKING,
    'Modification',
    `stop, the project is gone
stop, the requirement is gone from the list
cancel that, the file is gone
stop, we won't do this in one commit
stop, we won't do this before the release
stop, it won't do this
changed my mind, don't do this in the loop
don't do this at all in production
no, don't do that at all
changed my mind, don't do it yet, use a map
throw it all away and start over
throw it away, use a map
throw it all away, the parser must be rewritten
forget about the whole cache, use a map
forget about the tests
forget about the whole thing with the cache, use a map
forget this approach, use a map
forget this approach, let's work on a queue instead
stop using tabs
cancel the request after 5 s`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `Next up: rate limiting for the API
next up: dark mode in the settings
OK, different thing now: the nightly build is broken, look into it
forget this, let's work on the login bug instead
moving on: dark mode`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `on another note, indent with tabs
on a side note, use single quotes
moving on, now the tests
moving on, fix the tests
moving on to the tests is fine
next up: error handling for the retry
next up: cleanup of the helper
next up: fix the failing case
different thing now: it crashes on startup
different thing now happens when I click
a different thing: it should be blue
forget this, let's use a map instead
forget that, let's work on the parser first
forget this, let's work on this file instead`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `Perfect. Thanks a lot for your help
thanks so much for all your help
that did the trick
did the trick, ship it
perfect, that did the trick, thanks`,
  ],
  [
    ['PendingComplete'],
    'Modification',
    `thanks a lot for breaking the build
thanks a lot for your help, but the header is off
thanks a lot for your help with the tests, now the docs
that did the trick for the first case only
that almost did the trick
that did not do the trick
that did the trick, but the header is off now`,
  ],
  [['PendingComplete'], 'Clarification', 'what did the trick?'],
  [
    ['PendingComplete'],
    'Modification',
    `right way
the right way
better way
right side
best one
All 42 tests pass? I get 3 failures here
looks good? the linter says otherwise
done? the build is red
everything works? i still get an error
fixed? it crashes here
tests pass? not on my machine`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `that's the right way
right
yes, that's right
this is the best one`,
  ],
  [
    ['PendingComplete'],
    'Clarification',
    `All tests pass?
does it work? the linter is off`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `move on to the next field
let's move on to the next input
moving on to the next screen
separately, the label is misaligned in this form
separately, this label is misaligned
different topic name: use 'orders.v2' in kafka
new topic name for the events
new topic: orders.v2 with 3 partitions
new topic: \`orders\`
another topic: audit_log, 6 partitions
new subject: "Welcome aboard"`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `new topic: set up CI
separately, we need a script that rotates the logs
different topic, can you name three CI providers?
new task: name the colors`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete', 'AwaitingUser'],
    'Abandon',
    `cancel the task, we go with auth0
forget it, we're dropping the login altogether`,
  ],
  [['Running', 'Interrupted', 'PendingComplete', 'AwaitingUser'], 'Unclear', ``],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Unclear',
    `kill this task
I don't want this anymore
I do not want it any longer`,
  ],
  [
    WORKING,
    'Modification',
    `stop the task, it hangs
cancel the task, I need to change the port first
stop, we don't need the cache in the loop
I don't want this anymore in the header
kill the task runner`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `unrelated to this, please raise the memory limit of the runner
changing the subject: how do we rotate the keys?
completely different topic: the invoices need a footer
shifting gears: look into the slow queries
switch to ticket 12
I've got a new task for you: clean up the CI`,
  ],
  [
    ['PendingComplete'],
    'Modification',
    `something different: make it red
changing the topic name broke the consumer
shifting gears breaks the demo
new job: runs every night at 3
switch to ticket view
new topic for the events, please`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `I have no further requests, thanks
nothing else needed, thank you
works as intended
we can consider this done
let's wrap up, all good
valeu, ficou bom
erledigt, danke
спасибо, все работает`,
  ],
  [
    ['PendingComplete'],
    'Modification',
    `that is all it does
that's all it does now
consider it done when the tests pass
this can be merged into one function
finish up
wrap up the docs please
I don't need anything else in the header`,
  ],
  [
    WORKING,
    'Abandon',
    `I give up on this one
forget about this, the client cancelled
cancel it, management pulled out
oublie ça, on arrête`,
  ],
  [
    WORKING,
    'Modification',
    `I give up on this one name, use another
forget about this, the client cancelled in the test too
stop, they cancelled in the second test`,
  ],
  [WORKING, 'Unclear', 'throw all of this away'],
];
