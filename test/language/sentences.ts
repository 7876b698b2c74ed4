/** Messages and what they are, by the state of the session: of our own writing. */
import type { Classification } from '../../src/core/message-class.ts';
import type { StateKind } from '../../src/core/state.ts';

export type State = StateKind | 'none';
const ACTIVE: readonly State[] = ['Running', 'AwaitingUser', 'Interrupted', 'PendingComplete'];
const WORKING: readonly State[] = ['Running', 'Interrupted'];

/** Sentences, a line each, that are of one class in each of these states. */
export const SENTENCES: readonly [states: readonly State[], classification: Classification, sentences: string][] = [
  [
    ['AwaitingUser'],
    'Response',
    `Yes
Option B
Use exponential
Option C, and make max retries configurable
no
nope, neither
yep go ahead
k
sure
ok
lgtm
looks good
the second one
b
2
A and C please
both
#3
1 and 2, skip 3
either works
up to you
whatever you think is best
go with postgres
let's use sqlite for now
I prefer the first approach
your recommendation is fine
do it
sounds good, go ahead
yes please, and keep the old flag
no, keep the public API as it is
none of the above
only on the main branch
about five seconds
in the config file next to the others
three retries is plenty
it was already broken before the deploy
as soon as the build is green
the staging bucket, not production
JSON
ja
nein
oui
non
sí
はい
いいえ
是的
不
好的
👍
yes!!
YES
yess
nah
yeah, the smaller one
don't touch the migrations
just the tests
leave it as it is
can leave it there
drop it
yes, cancel it
please create the branch first
I already did that, continue
default
I'd go with the queue
let's do option two
both, but start with the parser
go for it
skip the docs, do the rest`,
  ],
  [
    ACTIVE,
    'Abandon',
    `Never mind
Cancel
Stop
stop
STOP!!
nvm
nevermind
never mind, I found it
forget it
forget about it
please stop
cancel that
cancel this
abort
ok stop
wait, stop
stop it now
just stop please
no stop
actually, never mind
scrap that
scratch that
abandon this
I changed my mind
never mind, thanks
nvm it works now
call it off
don't bother
stopp
abbrechen
vergiss es
arrête
annule
laisse tomber
cancela
olvídalo
停止
取消
算了
やめて
キャンセル
🛑
canel
nevremind
/stop
/cancel
stop everything`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `Looks good
Perfect, thanks!
Ship it
lgtm
LGTM!
sgtm
looks good to me
looks great, thank you
perfect
great work
nice
awesome!!
that works
works great now, thanks
all good
good to go
that's it, thanks
we're done here
thanks
thank you so much!
thx
ty
ok
okay
k
yes
yep
yes, that's perfect
yes looks good
👍
👍👍
🎉
✅ looks good
this is exactly what i wanted
love it
all tests pass, ship it
commit
commit and push
push it
merge it
open a PR
commit this and open a draft pr
please commit the changes and push
ok, commit
lgtm, merge
great, push it to main
nice, publish it
no issues, thanks
not bad
looks fine
seems fine to me
that looks right
very nice, well done
brilliant, thank you
sieht gut aus
passt, danke
super, vielen dank
parfait, merci
c'est bon
perfecto, gracias
muy bien
完美
看起来不错
很好，谢谢
完璧です
いいですね、ありがとう
perfct
thansk
lokos good
i'm happy with this
approved
done
task complete
ok thanks
cool, thanks man
good job!
beautiful
thats correct
works for me`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `Make it 5 not 3
Also add logging
Looks good but also add logging for retry attempts
looks good, but rename the helper
great, now add a test for the empty case
nice but the button is still blue
use a Map instead of an object
please make the error message clearer
rename it to fetchAll
add a test for the timeout
can you add a test for this
could you make the border thinner?
can we use the shared logger?
how about a dropdown instead?
don't touch the lockfile
not like that, keep the signature
no, the other file
no that's wrong
that is not what I asked for
this breaks on windows
the second test is still failing
it crashes when the list is empty
i get a 500 when i log in
undo that last change
revert the change to the parser
remove the debug output
the name should be plural
you forgot the index file
and also handle null
one more thing, bump the version
also: the docs still mention the old flag
instead of polling, use a watcher
we should cache this
it would be great if it kept the order
try it with the smaller dataset
fix the lint errors
run the tests again and fix what fails
stop using any
stop the server before you run the tests
cancel the request when the component unmounts
never use var
don't stop at the first error, collect them all
too slow, batch the writes
not good, the layout jumps
almost perfect, only the header is off
looks better, but still not aligned
good start. now make it responsive
thanks, but the date is still wrong
perfect except for the spacing
commit it, then fix the flaky test
the retry should wait longer between attempts
I want the list sorted by date
need to support ipv6 too
mach die Schrift größer
utilise le logger commun
添加日志
i'd rather have two functions
put the constant at the top of the file
actually use the v2 endpoint
hmm not quite, the padding is off
lets not swallow the exception
make sure it works offline
why don't we split this into two files?
move the validation to the server`,
  ],
  [
    ['AwaitingUser'],
    'Modification',
    'Make it 5 not 3\nAlso add logging\nLooks good but also add logging for retry attempts',
  ],
  [
    ACTIVE,
    'NewTask',
    `Now let's add connection pooling
Different topic: how do we rotate the keys
different topic, the docs site is down
New task: write a migration for the users table
the sidebar is done. Next task: migrate our jest tests to vitest
no sidebar is done. next task: write a script that renames the screenshots
unrelated, but the nightly build is red
Unrelated: please look at the flaky login test
next task: upgrade to node 22
next one: https://example.com/issues/42
switching gears, let's look at billing
ok let's move on to ticket 12
I have another task for you: clean up the CI
something completely different: can you draft a blog post
on another topic, the invoices need a footer
let's work on something else
let's start a new feature: export to csv
looks good. now let's build the admin page
thanks! next task: the onboarding mail
now let's implement rate limiting
never mind that, new task: fix the sidebar
换个话题：部署脚本
別件ですが、ログを見てください`,
  ],
  [
    ACTIVE,
    'Clarification',
    `What does that mean?
Show me the code
what does this function do
why did you change the config?
why
why?
how does the retry work
where is that defined?
which file is that in
who calls this
when does the cache expire?
is it thread safe?
does it handle empty input
did you run the tests?
are there any other callers
is there a way to see the logs?
do we need the lock here?
should this be async?
what happens if the server is down
what's the difference between the two?
whats the plan
explain the second step
can you explain why this is needed?
could you show me the diff
tell me what changed
can you check whether this is used anywhere?
give me a summary of what you did
summarize the changes
walk me through it
I don't understand
i don't get why we need two queries
i wonder if that scales
just curious, how long does it take?
wait, what does that flag do?
hm, is that safe?
so it reads the file twice?
and it still works on windows, right?
pros and cons of the two approaches
how come the test passes
what if two processes write at once?
wouldn't that deadlock?
can't we detect that from the header?
was bedeutet das?
warum?
pourquoi ?
qué significa eso?
为什么？
どうして？
?
any idea why that fails?
have you looked at the logs?
let's discuss the schema first
remind me what we decided
how many files did that touch`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Response',
    `continue
keep going
go ahead
proceed
sorry, continue
go on please
carry on
option B`,
  ],
  // Words of an ending or of approval that say something else where more stands beside them.
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `that is enough to go on
enough logging for now
that's enough for the header
cancel it and continue
ignore that and continue
forget it and continue
stop it and retry
stop and think
stop, I have an idea
it will stop
scrap that button
never mind the tests
never mind the rest
never mind, but keep the tests
never mind, it should be 5
changed my mind about the delay
let's stop here and commit
stop here, commit
I found it
I figured it out
complete the rest
pass the id
clean it
correct it
complete tests
better summary please
please confirm
can you approve
I want it working
it has to pass
it can be better
commit, continue
commit first
merge the files
good start
let's switch to yarn
let's switch to TypeScript
now let's switch to tabs
let's move to a queue
next thing: error handling for the retry
next up, the error case
new session fails
change of plans: use redis
another topic should be created
next issue is the timeout
let's move on with the plan
let's move on`,
  ],
  [
    ['PendingComplete'],
    'Modification',
    'looks good, let me check it first\nthanks, I was expecting a list\ngreat, I have two remarks',
  ],
  [['AwaitingUser'], 'Response', "let's switch to yarn\nthat's enough\ngood enough\ncancel it and keep the old one"],
  [
    ['PendingComplete'],
    'Confirmation',
    `good enough
that's good enough
looks good enough to me
good enough for now, thanks
that works well enough
perfect that works
please mark it as done
complete
look good
commit please, then push and open a PR
looks good, I will merge it`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `ta, that'll do nicely
nice catch, thank you
looks good, nothing else from me
looks good, have a nice weekend
top, kann so bleiben`,
  ],
  [
    WORKING,
    'Abandon',
    `don't bother any more, I'll do the rest myself
stop, we decided to drop this`,
  ],
  [
    ACTIVE,
    'NewTask',
    `so now a completely new thing: publish the docs on every tag
actually something more urgent: customers cannot sign in`,
  ],
  [
    ['Running'],
    'Modification',
    `Stop. The tests need the database. I'll do that myself
forget that, the port is 8080 not 8000, never mind
scrap all of that, the design is simpler now
drop everything, prod is down and users cannot log in
stop, you're going in a different direction
stop, the function has fixed it
No, a completely different issue: the token is null before that line
brand new task list for each sprint please`,
  ],
  [
    ['PendingComplete'],
    'Modification',
    `there's something else important missing in the migration
Now a completely different issue: it crashes on startup
why is the build red? please fix it?
drop all of it, just the readme change stays`,
  ],
  [['PendingComplete'], 'Modification', 'wait, is there no helper for that already? use that'],
  [['AwaitingUser'], 'Clarification', 'which job do you mean, build or deploy?'],
  [['Interrupted'], 'Clarification', 'wtf why 60'],
  [WORKING, 'Modification', 'stop, the tests are broken\nforget the whole cache, use a map'],
  [WORKING, 'Confirmation', 'good enough\nthat works well enough'],
  [WORKING, 'Unclear', "enough\nthat's enough\nkill it\nignore that"],
  [
    WORKING,
    'Abandon',
    "never mind, we won't need it\nforget it, it was a stale cache\nstuff it the tests read well\ncan you stop",
  ],
  [WORKING, 'Modification', "let's work on the layout\nlet's tackle the parser"],
  [['PendingComplete'], 'NewTask', "let's tackle the billing page\nok let's move to #91"],
  [['PendingComplete'], 'Response', 'that would be great'],
  [['Interrupted'], 'Response', 'yes\nyep\nok'],
  [['PendingComplete'], 'Modification', 'looks good so far'],
  [WORKING, 'Confirmation', 'looks good so far\nnice, looking good so far\nlooks good\nthanks\ngreat\nnice work\n👍'],
  [['Running', 'PendingComplete'], 'Modification', 'the header is done. Next step: the footer'],
  [WORKING, 'Modification', 'wait\nhold on\ncommit\nno\npush it to the other branch first'],
  [['Running', 'Interrupted'], 'Abandon', "i'll take it from here\ni'll do it myself\nI will do it myself, thanks"],
  [ACTIVE, 'Unclear', '...\n-\nhmm\n/clear\n/new\n/exit'],
  [WORKING, 'Unclear', "leave it\nlet's leave it for now\ndrop it"],
  [
    ['none'],
    'NewTask',
    `Add retry with backoff to the HTTP client
fix the login bug
the build is broken on main
can you add a dark mode?
I want a command that prints the version
let's build a todo app
update README
Please write tests for the parser. Start with the tokenizer.`,
  ],
  [
    ['none'],
    'Clarification',
    'What does this repo do?\nhow is the config loaded\nexplain the architecture\nshow me the tests',
  ],
  [['none'], 'Confirmation', 'thanks\nlooks good\nok\n👍'],
  [['none'], 'Abandon', 'stop\nnever mind\ncancel'],
  [['none'], 'Unclear', 'no\nwait\nhmm'],
  // Praise and words of other classes that only look like it.
  [
    ['PendingComplete'],
    'Modification',
    `great is relative, just inline it
fixed? it still crashes
finished? two of the checks are still failing
what I actually wanted was a flag
what about using a queue?
push to staging and tell me what the health check says
nice that you noticed, no
oh wonderful
yeah right
better
way better already
the top
at the top
amend the tests
I read the diff and want a second variant. Looks good
I went through it and noticed a typo. looks good, commit
不要提交`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    'fine, again please\ntry again\nnow run it again\nretry',
  ],
  [['AwaitingUser'], 'Response', 'try again\nnow run it again'],
  [['PendingComplete'], 'Clarification', 'done?\nlooks good?\nwhat about the docs?\nwhat did you use instead?'],
  [
    ['PendingComplete'],
    'Confirmation',
    `much better, thanks!
thanks again
works better now
Nothing to add, thanks
That's everything I wanted.
works fine on my laptop too
all good, no edits needed
runs like a charm, cheers
tested it locally and all works
I tried it in the app and it works great
thanks for all your help
you can close the ticket
close this issue
git push origin main
git commit -m "fix the parser"
open a PR against main
amend it and push
force-push it
this is way simpler than before, well done
cannot fault it
checked on staging, all good
I tested it on two phones, works great
I ran the suite twice on the cluster. All green. Push it.
passt, bitte pushen
läuft jetzt, merci
top, danke
不错，合并吧
完璧です、マージしてください`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `other subject: please triage the inbox
leave that, different task: the certificate expires today
before that, a new task: update the logo
Something else: write a script that rotates logs`,
  ],
  [['AwaitingUser'], 'Response', 'something else: call it `blob`'],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'Modification',
    `next task: item 4 of the plan
let's move on to the next item on the list
moving on, take the third point
the other task in the queue is skipped
a new task should get its own id`,
  ],
  [
    ACTIVE,
    'Abandon',
    `cancel it, the project was cancelled
cancel this, already fixed elsewhere
never mind, management axed the project
please stop working on that
let's scrap the entire idea
I give up on this
vergiss das, brauchen wir nicht mehr`,
  ],
  [['Running', 'Interrupted', 'PendingComplete'], 'Abandon', 'no longer needed'],
  [['AwaitingUser'], 'Unclear', 'no longer needed'],
  [WORKING, 'Abandon', 'ok enough, this is pointless\ndrop it, nobody needs it'],
  [
    WORKING,
    'Modification',
    `leave it in
leave it as before
stop, it's the wrong file
stop, that file is obsolete
cancel that, it is not obsolete
cancel that, we found another bug
stop, the variable is no longer needed to start
stop, it is no longer needed. use the new one
stop working on the header
ignore that, it's no longer needed
drop the idea of a cache, use a map`,
  ],
  [
    WORKING,
    'Abandon',
    `let me do it by hand, thanks
abort mission
bail
end the session
scrap the whole migration
never mind, Ann already fixed this
you can stop now, I found the answer myself
stop everything, we're not doing this`,
  ],
  [
    ['PendingComplete'],
    'Confirmation',
    `alright, that wraps it up
mission accomplished then 🎉
no need, thanks
no thanks, you've been a great help
we can close this
that'll do
let's call it a day
thx!! 10/10
ok thanks! closing my laptop, bye`,
  ],
  [
    ['Running', 'Interrupted', 'PendingComplete'],
    'NewTask',
    `thanks! Now for something completely different: the invoices
drop what you're doing, prod is down. fix the nginx config`,
  ],
  [
    ['Running', 'PendingComplete'],
    'Modification',
    `I think it is a bit long, no? Trim it to one page.
seriously? use the old name
we already fixed this in the other file, do the same here`,
  ],
  [['AwaitingUser'], 'Clarification', 'are you sure?\nare you sure they fail there?'],
];
