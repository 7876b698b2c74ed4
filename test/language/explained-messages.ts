/** Messages that decide and add a reason or an alternative, and messages that only look like them; written for this project. */
import type { Classification } from '../../src/core/message-class.ts';
import type { State } from './sentences.ts';

const WORKING: readonly State[] = ['Running', 'Interrupted'];
const FINISHED: readonly State[] = ['PendingComplete'];

/** Sentences, a line each, that are of one class in each of these states. */
export const EXPLAINED: readonly [states: readonly State[], classification: Classification, sentences: string][] = [
  [
    FINISHED,
    'Confirmation',
    `excellent, 40 ms is more than enough
perfect, exactly how the accountants like it
amazing, you saved my weekend
wow 12 kB, great. thanks
awesome, the smoke test passes as expected
builds fine on my second laptop too, we can close this
I pulled the plug three times and it came back each time, so all good
tested it against the sandbox, payments go through as expected. nice work
confirmed, no more warnings in the console
can't reproduce it anymore, so I guess it's fixed. cheers
nice split, approved
feels great, thanks
it runs well, ty
great, tested with the new certificate
looks fine, I merged it by hand
génial, tu peux commit
gracias, sube los cambios
commit with the message "feat: keep the cache warm" and push
/commit
/pr`,
  ],
  [
    FINISHED,
    'Modification',
    `great. the header is now misaligned
nice, the log still shows the error
awesome, I see two warnings
great, tried it in safari and it flickers
thanks, I tested it and the login crashes
nice work, the layout jumps a bit on mobile
perfect, it now shows the old value
good stuff, I get a 404 on /login
great, I reverted the last commit
good, the font is tiny
nice colours, good contrast, the margin is off
great job on the header, the footer overlaps
awesome, deployed and it crashed
good point
great question
no need to commit
no need to open a PR
no commit please
no push
wow, no
great, no
good, nope
danke, nein
now let's make the font bigger
now let's make the margins smaller`,
  ],
  [
    WORKING,
    'Abandon',
    `please stop here. my colleague already did this yesterday
don't bother, the design was dropped
quit this, I will do it by hand tomorrow
never mind this, the ops team will do it
ok let's give up on this, mocking that thing is a nightmare
that's a waste of tokens, drop it
I figured it out in the meantime, no need to continue
wrong branch, argh. forget everything
olvídalo, ya lo arreglé
lass gut sein, wir machen das nicht`,
  ],
  [
    ['AwaitingUser'],
    'Abandon',
    `don't worry about it, the user closed the ticket. you can stop
there is no staging anymore, so this is pointless. abandon it`,
  ],
  [
    WORKING,
    'Modification',
    `no need to stop
no need to cancel
no need to abort the run
the header is wrong, the label should be blue, never mind the footer
changed my mind, blue is better
never mind the cache, we use redis
stop, the connection was dropped
put the button aside the title
leave the footer for later, first fix the header
leave it for now and fix the header first
forget this, use a map`,
  ],
  [
    [...WORKING, ...FINISHED],
    'NewTask',
    `put this on hold, production is down. help me find out why the checkout returns 502
drop what you are doing and instead find the memory leak in the billing service
forget this for now. customer demo in an hour, build me a data seeder for the demo tenant
let's postpone this, and look at bug #1284 first`,
  ],
  [
    ['AwaitingUser'],
    'NewTask',
    `park this. we got an incident: the disk is full on db-2, help me to clean up
let's postpone this, and look at bug #1284 first
other topic: the favicon is broken in production`,
  ],
  [
    FINISHED,
    'NewTask',
    `while CI is running, let's start a new feature: csv import for contacts
now on to kubernetes: write me helm charts for the billing service
great, now that this is out of the way: implement soft delete for projects
meanwhile pick up the next one from the backlog, the avatar upload
gracias. ahora otra cosa: necesito un script para importar los clientes`,
  ],
  [
    FINISHED,
    'Modification',
    `next: add tests
now on to the tests
now that this is done, add tests
while you are at it, rename the helper`,
  ],
  [
    ['AwaitingUser'],
    'Response',
    `separate issue, leave
new feature, not now
different topic, ignore
not in this task, next task`,
  ],
  [
    FINISHED,
    'Confirmation',
    `cancel works like a charm, thanks a lot
stop works fine, thanks
abort is working great. thanks
not flickering anymore, thx
that did it
holy shit that's fast. merci
c'est parfait, on peut merger`,
  ],
  [
    FINISHED,
    'Modification',
    `good. now all of them
good. all of them
thanks. everything
approved should be \`isApproved\`
stop works, start doesn't
unrelated: whitespace changes in 14 files. remove them`,
  ],
  [
    WORKING,
    'Abandon',
    `drop it. someone else already did this on another branch
ok stop, turns out it was the vpn. no need to continue
kill it, I know which commit it is. we're done here
lass gut sein, das machen wir nicht mehr
no longer needed, 3.2 was cancelled`,
  ],
  [['AwaitingUser'], 'Abandon', "neither. we're not doing the queue after all, cancel"],
  [
    ['AwaitingUser'],
    'Response',
    `never mind, keep it
nvm, leave it as it is
new task: \`email.send\``,
  ],
  [
    FINISHED,
    'NewTask',
    `great. next ticket is PROJ-1182: users can upload the same avatar twice
ok that's done. let's start on the graphql migration now
good. ok so now for the other repo: upgrade it to react 19
I have another one for you. the log command crashes on empty repositories`,
  ],
  [
    WORKING,
    'NewTask',
    `hold on, more urgent: a customer reports invoices sent twice. please work on that first
leave this for tomorrow, I need you on something else: the terraform state is locked`,
  ],
  [['AwaitingUser'], 'NewTask', 'ok park that question. different task: the storybook build is broken'],
];
