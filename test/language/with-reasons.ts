/** Endings with their reason, tasks announced in vague words, and approval with a condition or a change: of our own writing. */
import type { Classification } from '../../src/core/message-class.ts';
import type { State } from './sentences.ts';

const WORKING: readonly State[] = ['Running', 'Interrupted'];

/** Sentences, a line each, that are of one class in each of these states. */
export const WITH_REASONS: readonly [states: readonly State[], classification: Classification, sentences: string][] = [
  // Endings.
  [
    WORKING,
    'Abandon',
    `let's drop this, it leads nowhere
drop it, not worth the trouble
toss it all out, we're going another way
this was a silly idea, cancel it
ok stop, this isn't going anywhere
cancel this, Mia is already working on it
please stop working on this ticket, priorities changed
quit, we decided against it
abandon this, someone else is on it
forget it, too fiddly
scratch the whole idea
stop here, I'll do the rest by hand
stop, I will do the rest on my own
sorry, stop, wrong chat
lass es, ich mache das selbst
déjalo, lo hago yo`,
  ],
  [
    ['PendingComplete'],
    'Abandon',
    `let's drop this, it isn't worth the effort
throw it all away, we're going a different way
this is going nowhere, scrap it
discard everything, it was a bad idea
close it without merging, nobody needs it
never mind, we took another approach`,
  ],
  [
    WORKING,
    'Modification',
    `let's drop this option, it isn't worth the effort
let's drop this, parse it by hand instead
drop the second cache, not worth the trouble
discard everything behind the comma
revert everything in the lock file
the old parser was a bad idea
we go another way here: events instead of polling
this is going nowhere useful, print the values first
plans changed, make it two columns
let it go through the queue
I'll write the fixtures myself
stop, was a typo. the port is 8081
stop, wrong file
I do this by hand
it is not important, skip it`,
  ],
  [
    ['PendingComplete'],
    'Modification',
    `drop it, not worth the trouble
revert everything
priorities changed, sort by due date
the retry is a waste of time, remove it`,
  ],
  [WORKING, 'Unclear', 'discard everything\nthrow it away'],
  [
    ['AwaitingUser'],
    'Response',
    `let's drop this, it isn't worth the effort
bin it
I'll do that by hand`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Abandon',
    `cancel everything, we are not shipping this
Stop. We decided not to do this at all.
stop, we decided not to go ahead with it
abort, we won't release this
stop, this is not going to happen
stop, we decided against the whole idea`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `stop, we are not shipping this file
stop, we won't release this with the debug flag
stop, we decided not to do this all at once
stop, we decided against the whole idea of a cache
stop, no new service. Extend the old one.
stop, no new files
stop, close the dialog first
no new service, close the old one`,
  ],
  // Other tasks, and help with this one.
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `Different thing: the backup takes hours, find out why
new thing: write a bot that greets contributors
ok, something different: we need a press kit
different job: measure the cold start
switch to ticket OPS-31
begin with a new feature: saved searches
I have another job for you: sort the bug reports
before we continue, a new task: renew the licence
now to something else: write a press kit`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `different thing: it flickers
new thing shows up in the list, hide it
new job queue please
switch to the other branch
a different job name please
make it something different
start a new session when the token expires
begin a new task for every row
different job`,
  ],
  [['AwaitingUser'], 'Response', 'something different: "Home"\nnew thing: a banner\nlet\'s move on to the importer'],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `Cool. Now something unrelated: we need a healthcheck endpoint
something completely unrelated: the invoices have the wrong VAT
Next up: please migrate the CI from Jenkins to GitHub Actions
next up, could you translate the onboarding mails to French
On to something else entirely: draft an email to the team
on to something different: prepare the slides for Friday
now for an unrelated matter: the nightly backup fails
completely different problem: nobody can log in to the VPN
let's move on to the billing service, invoices are rounded wrong
let's move on to the next task: write the changelog`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete', 'AwaitingUser'],
    'NewTask',
    'Before that, completely different issue: prod is returning 502s',
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `moving on, the empty state
moving on: the row hover
let's move on to the empty state
let's move on to the importer
moving on to the search page
next up, please sort the rows by name
next up: implement the tests of the parser for the third case
something unrelated to sorting is off in the header
completely different problem: it crashes
completely different issue: the label is cut off`,
  ],
  [['none'], 'NewTask', 'can you help me set up the linter?'],
  [['PendingComplete'], 'Modification', 'could you help me test this on a phone?'],
  [['PendingComplete'], 'Clarification', 'can you help me understand the lock?\ndo all of them pass now?'],
  // Approval.
  [
    ['PendingComplete'],
    'Modification',
    `no that's wrong
feel free to add tests, then merge
merge it once the pipeline is through
ship it when CI passes
push when green
approved, provided the numbers hold
fine with me as long as the size stays the same
let me know when it is deployed, then we can close it
looks good, I'll merge once Kim agrees
great, could you squash the commits
squash it into one
cool, can you clean up the commits
thanks, can you amend the commit with the test
merge main
please merge develop first
close this file
the closing tag
wrap it up with tests
done? the list is empty`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `ok, close it
please close this one
super, das war alles
alles gut, das wars, danke
c'est tout, merci
eso es todo, gracias
alright, that is all we wanted
that was all, thanks
that solves the problem
this fixes it, thanks
bug resolved, thanks for the quick fix
yes, you can mark it as done
good, let's wrap this up
that covers it
no objections
ready to merge
merge when ready
squash and merge
that's a lovely solution, thank you
could you push please
feel free to merge
no that's all, thanks
I don't need anything more
already merged it, thanks`,
  ],
  [WORKING, 'Modification', "let's wrap up\nclose it\nwrap it up"],
];
