/** What short phrases of a user mean, in English; other languages stand in lexicon-languages.ts. */
import type { PhraseTable } from './phrases.ts';

/**
 * What a phrase does in a message. `glue` carries no meaning here; `object` may stand beside approval and publishing;
 * `negate` turns around what it stands beside.
 */
export type Sign =
  | 'approve'
  | 'thanks'
  | 'yes'
  | 'no'
  | 'stop'
  | 'dismiss'
  | 'leave'
  | 'hold'
  | 'go'
  | 'publish'
  | 'pick'
  | 'takeover'
  | 'negate'
  | 'object'
  | 'glue';

export const ENGLISH: PhraseTable<Sign> = {
  approve:
    'good/great/nice/excellent/amazing/awesome/fantastic/solid/lovely/beautiful/brilliant/superb work/job | good/great/nice/excellent/awesome/lovely find/catch/spot/thinking/stuff | nothing else/more/further from me/us/here/my | good | great | perfect | perfectly | nice | nicely | nicee | lovely | awesome | amazing | excellent | brilliant | fantastic | wonderful | beautiful | superb | neat | sweet | ' +
    'cool | solid | lgtm | sgtm | lg | ltgm | fine | love | flawless | flawlessly | impressive | outstanding | stellar | correct | approved | approve | accepted | ' +
    'pass | works | working | worked | good/well enough | enough for me/us/now | look good/great/fine/nice/perfect | passes | passed | passing | green | fixed | solved | resolved | happy | satisfied | better | best | clean | well done | ' +
    'ship it/this/that | good to go | all set | thats/that/this it | thats/thatll all | thats everything | that is all | that will be all | thats it | we are/re done | were done | im done | all done | ' +
    'not bad | no problem/problems/issue/issues/complaints/concerns | no further/more/other changes/comments/questions/notes | nothing else/more | no notes | no changes/change/fixes/edits/tweaks needed/required/necessary | no further/more/other changes/change/fixes/edits/tweaks needed/required/necessary | nothing more/else/further to add/do/change/fix/say | nothing to add/change/complain/fix | thats/thatll all i/we need/needed/want/wanted/asked | thats everything i/we need/needed/want/wanted | all i/we needed/wanted | all i asked for | ' +
    'makes/make sense | exactly | spot on | on point | like it/this/that | as expected | what i wanted/needed/asked | chefs kiss | kudos | bravo | hooray | yay | woohoo | wow | dope | sick | lit | noice | ' +
    'works/runs/worked/working like a charm | like a charm | did/does the trick | works/working/tested/verified/checked locally | thats a wrap | its a wrap | a wrap | gg | cant/cannot fault it/this/that | couldnt be better/happier | cant complain | much/way/far/lots/so cleaner/better/nicer/faster/clearer/simpler/easier/shorter/smoother than before | cleaner/better/nicer/faster/clearer/simpler than before | behaves/works/runs as it should | ' +
    'verified/tested/checked on/in/against staging/production/prod/dev/safari/chrome/firefox | nailed it | you nailed it | looking good | go for launch | close/closes/closing it out | mark it/this as done/complete/completed/finished | mark it done/complete | call it done/complete | task/work complete/completed/done | ' +
    'mission accomplished | job done | that/this/it wraps it/this up | wraps it/this up | thatll do | that/this will do | that/this does it | call it a day | lets call it a day | awesome/weak sauce | gj | legend | you legend | kewl | 10/10 | were/im good | we/i are/am good | ' +
    'done | complete | finished | success | 👍 | 👌 | ✅ | 🎉 | 🚀 | 🙌 | 💯 | 🔥 | 👏 | 🥳 | 🤩 | 😍 | ❤ | 💪 | ✔ | ☑ | 🆗 | 🎊 | ⭐ | 🫡',
  thanks:
    'thanks | ta | have a nice/good/great/lovely day/evening/night/weekend/one/rest | have a nice/good/great/lovely rest of the/your day/week/evening | enjoy your/the day/evening/night/weekend | thank you/u/ya | thx | thnx | tnx | ty | tysm | tyvm | cheers | thanks for the/your/all/everything help/work/patience/effort/support/time | thank you for the/your help/work/patience/effort/support/time | thanks for everything | thanks for all the/your help/work | much appreciated | appreciated | appreciate it/that/this | i appreciate it/that | thanks a lot/bunch/ton | many thanks | 🙏 | bye | goodbye | good night | see you/ya/u | see you/ya tomorrow/later/soon | ttyl | closing my laptop | logging/signing off | heading home/out | youve been a great/big/huge help | you have been a great/big/huge help',
  yes:
    'yes | yeah | yea | yep | yup | ya | yah | yess | y | ye | yas | sure | sure thing | of course | absolutely | definitely | certainly | indeed | ok | okay | okey | okie | k | kk | okk | oki | alright | ' +
    'aight | all right | right | roger | agreed | agree | i agree | sounds/sound good/great/fine/right/reasonable/perfect/nice | works for me | fine by/with me | affirmative | confirmed | confirm | aye | ' +
    'true | why not | i confirm | fair enough | fair | thats right/fine/ok/okay | you got it | got it | understood | deal | totally',
  no: 'no | nope | nah | naw | n | nay | negative | not really | hell no | no way | 👎 | ❌ | no need | not now | neither | dont do it/this/that at all | none | none of them/those/these/the above',
  // What stops the agent; may take an object, and then stops that.
  stop:
    'stop | stop it/this/that/here/there | cancel | cancel it/this/that | abort | abort it/this/that | halt | quit | quit it | cancel everything/all | stop everything/all | cease | terminate | stop working | stop working on it/this/that | stop work | stop work on it/this/that | stop work/working on this task/ticket/issue/story/feature/project | stop everything you/youre are doing | stop everything youre doing | lets stop | lets stop here/there/this | ' +
    'knock it off | cut it out | abandon | abandon it/this/that/ship | abandon this/the task | abort mission | abort the mission | end/close the/this session | quit the/this session | bail | bail out | dont bother | dont bother anymore | dont bother any more | do not bother | do not bother anymore | do not bother any more | lets not bother | changed my mind | i changed my mind | ive changed my mind | i have changed my mind | 🛑 | ⛔ | 🚫',
  // Idioms that wave the task away, whatever stands behind them.
  dismiss:
    'never mind | nevermind | nvm | nm | nvmd | forget it/this/that | forget about it/this/that | forget i said/asked anything | scratch it/that/this | give up | call it off | calling it off | lets call it off | ' +
    'no need anymore | not needed anymore | no longer needed | not needed any more | ' +
    'dont need this/it/that anymore | dont need this/it/that any more/longer | do not need this/it/that anymore | do not need this/it/that any more/longer | no longer need this/it/that | stuff it | pull the plug | scrap it/this/that | ' +
    'drop/scrap/scratch/forget/abandon/ditch/bin/cancel the/this/that whole/entire thing/idea/task/effort/plan/migration/feature/project/ticket/story/refactor/rewrite | give it up | close it/this without merging | drop/scrap/forget/abandon the/this idea/task | forget about the/this whole/entire thing/idea/task/effort/plan/migration/feature/project/ticket/story/refactor/rewrite | lets drop/scrap/forget/abandon/ditch/cancel the/this whole/entire thing/idea/task/effort/plan/migration/feature/project/ticket/story/refactor/rewrite | lets drop/scrap/forget/abandon the/this idea/task | give/giving up on this/the/that/it task | give/giving up on this/it/that | give/giving up on the whole thing',
  // An answer where the agent asks; where it is at work, no more of it.
  leave:
    'leave it | leave it be/alone | leave it at that | leave it for now/later | lets leave it | lets leave it at that | lets leave it for now/later | lets not | lets not do it/this/that | drop it/this/that | lets drop it/this/that | ' +
    'keep it | let it be | lets keep it | enough | thats enough | that is enough | ignore it/that/this | ignore my last message/prompt | disregard | disregard that/this/it | discard it/this/that | ditch it/this/that | kill it | shut it down | kill the/this task/session/thing | dont want it/this/that anymore | dont want it/this/that any more/longer | do not want it/this/that anymore | do not want it/this/that any more/longer | no longer want it/this/that | ' +
    'throw/toss/chuck it/this/that away/out | throw/toss/chuck it/this/that all away/out | throw/toss everything away/out | throw/toss away everything | discard/drop/ditch/bin/trash/scrap everything | discard/drop/ditch/bin/trash all of it/this/that | bin/trash/shelve it/this/that | lets ditch/bin/trash/shelve it/this/that | let it go | keep it as is | lets keep it as is | leave as is | leave it as is | lets leave it as is',
  hold: 'wait | hold on | hold up | hang on | pause | hold it | one sec/second/moment/minute/min | a sec/second/moment/minute/min | just a sec/second/moment/minute | not yet | whoa | woah | ✋ | hold your horses | stop for a sec/second/moment/minute/bit | stop a sec/second/moment/minute',
  go: 'go ahead | go on | go for it | continue | carry on | proceed | keep going | keep at it | do it | do that | do this | do so | do them | do them all | do both | do all | do it all | do all of them/that/it/those | make it so | go | start | begin | resume | keep it up | pick up where you left off | dont stop | do not stop | move on | move forward | press on | next | please continue | try again | retry | run it | implement | implement it/that/this | lets do it/that/this | lets go | lets go ahead | lets go for it | lets proceed | lets continue | lets start | lets try it/that/this | moving on | lets move on | please do | would be good/great/nice/perfect/awesome/lovely/helpful/cool',
  publish:
    'commit | committed | commits | push | merge | publish | release | deploy | tag | tag it | land | land it | squash | commit/push/merge/ship/land all of it/them | ship | open/create/make/draft/raise/submit/file/put/send/prepare/cut/update/write up a/the/draft/another/up pr/mr | ' +
    'open/create/make/draft/raise/submit/file/send/prepare/update pr/mr | open/create/make/raise/submit/file/send/prepare a/the/up pr/mr | open/create/make/raise/submit/file/put/send/prepare a/up draft/a pr/mr | open/create/make/raise/submit/file draft pr/mr | draft a/the pr/mr | ' +
    'open/create/make/raise/submit/file/send a/the pull/merge request | open/create/make/raise/submit a draft pull/merge request | open/create/make pull/merge request | put/throw up a pr | put a pr up | pr it | pr this | pr please | cut a release/version | cut the release | ' +
    'update the pr | update pr | update pr description/title/body | update the pr description/title/body | mark it/pr/this ready | mark the pr ready | commit message | stage it/this/everything/all | amend and | amend it/that | amend the commit | force push | force push it/this/that | force-push | force-push it/this/that | git commit/push/merge | git commit am/m/a quotation | git commit a m quotation | git add a | git push origin | ' +
    'close/resolve the/this/that issue/ticket/task/card/story | you can close the/this/that issue/ticket/task/card/story/one | you/we can close it/this/that | we can close the/this/that issue/ticket/task/card/story/one | closing it/this/that | closing/resolving the/this issue/ticket/task/card/story | merging | merging it/this/that | merging it/this now | merged | merged it/this/that | shipped',
  pick: 'option/choice/alternative/answer/variant/approach/plan/design/number a/b/c/d/e/f/1/2/3/4/5/6/7/8/9/one/two/three/four/five | a | b | c | d | e | f | g | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | #1 | #2 | #3 | #4 | #5 | #6 | #7 | #8 | #9 | 1st | 2nd | 3rd | the first/second/third/fourth/last/former/latter | the first/second/third/fourth/last/former/latter one/option/choice/approach | first/second/third/last one/option | first | second | third | latter | former | both | both of them | all of them/those/the above | all three/four/five | either | either one/way/works/is fine | whichever | whatever you think/prefer/recommend | up to you | your call | you decide | you choose | you pick | dealers choice | no preference | dont care | i dont care/mind | go with | lets go with | id go with | lets use | use | prefer | id prefer | i prefer | as you suggest/suggested/recommend/recommended/proposed | your recommendation/suggestion | the recommended one/option/approach | recommended | default | the default | keep it simple | whatever works',
  takeover:
    'ill take it from here | ill take over | ill take over from here | ill take this from here | ill do it | ill do it myself | ill do this myself | ill do that myself | ill handle it/this/that/the rest | ill handle it myself | ill fix it myself | ill let you know what to do | i will do it myself | i will take it from here | i will take over | let me do it | let me do it myself | let me take over | let me handle it/this | i got it from here | ive got it from here | ive got this | ill finish it myself | ill do/finish the rest | ill do/finish the rest myself | ill take over myself | ill take it over | ill take it/this over myself | i will do the rest | i will do the rest myself | ill figure it out myself | ill do it/this/that by hand | ill do it/this/that manually | let me do it/this/that by hand | let me do it/this/that manually | i will do it/this by hand/manually | let me do this/that myself',
  negate:
    'not | dont | doesnt | didnt | isnt | arent | wasnt | cant | cannot | couldnt | wont | wouldnt | shouldnt | never | without | hardly | barely | nothing | nor | almost | except | unless | until | havent | hasnt | lets not | less | ' +
    'however | although | though | only | still | instead | rather | almost there | nearly | with changes | now the/also/please/for/with | and the/also | then the | also the | no longer | not sure | not quite | not yet | should | needs | need | could | missing | if | when | once | after | before | ' +
    'so far | thus far | getting better/there/closer | good/great/nice/glad that/thing you/we/u asked/ask/mention/mentioned/noticed/caught/brought/remembered | good/great/nice/glad you/u asked/ask/mention/mentioned/noticed/caught/brought/remembered | yeah right | oh great/nice/perfect/wonderful/lovely/joy | good/great/nice/solid/decent first draft/attempt/pass/cut/step | good/great/nice/solid start/beginning | has/have/had to | would be better | can/should be better/best/clean/correct/complete/green/passing/fixed/solved/resolved/working/done/finished',
  // Nouns alone: what may be read as a command ("test", "fix") counts only behind an article.
  object:
    'develop | dev | pr | prs | mr | pull request | draft | branch | main | master | changes | change | description | origin | upstream | remote | staging | production | prod | file | files | code | fixes | merge commit | repo | ' +
    'github | gitlab | npm | version | tests | ci | manual | final | implementation | result | results | output | solution | summary | checks | new | stack | ' +
    'the/this/that/your/my/manual/unit fix/build/test/tests/review/design/plan/update/feature/release/commit/merge/work/refactor/refactoring/cleanup/lint',
  glue:
    'this | that | it | its | thats | thatll | these | those | them | they | the | a | an | is | are | was | were | be | been | im | i | ive | id | ill | you | your | youre | u | ur | we | well | weve | our | my | me | he | she | ' +
    'looks | look | looking | seems | seem | feels | sounds | sound | think | guess | believe | say | really | very | so | pretty | quite | super | just | now | then | here | there | all | everything | every thing | every | much | lot | bunch | ton | way | ' +
    'to | for | of | on | in | at | with | and | as | up | out | by | from | or | please | pls | plz | plse | pleas | job | thing | one | stuff | man | dude | mate | buddy | bro | guys | sir | friend | folks | team | claude | gemini | codex | copilot | cursor | ' +
    'on/for my/our machine/machines/side/end/laptop/box/phone too | on my/our machine/machines/laptop/box/phone/computer | in the browser/app/terminal/simulator/emulator | in safari/chrome/firefox | it locally | i just/also tested/tried/checked/ran/verified it/this/that | i tested/tried/checked/verified it/this/that | just tested/tried/checked/verified it/this/that | against | when green | when its green | once green | once its green | when ci is green/passes | once ci passes | once ci is green | tested | verified | checked | reviewed | side | for all/the/your help/support/patience/effort | for all the/your help/support/patience/effort | if you havent | if you havent already/yet | if not already | if you can/like | ' +
    'oh | ah | aha | ahh | eh | hm | hmm | hmmm | mhm | um | umm | uh | ugh | huh | haha | hah | heh | lol | lmao | hey | hi | hello | anyway | actually | sorry | again | too much | also | btw | by the way | today | already | finally | indeed | again | have | has | had | do | does | did | will | would | can | go ahead and | ' +
    'should be | can be | be able | let | lets | let me | thing | things | both work | end | rest | task | session | right now | for now | at once | real quick | quickly | quick | asap | immediately | what | whole | entire | thing | being | getting | having | want | wanted | asked | expected | after all | some | more than | far | so far | codespan | actually | honestly | ' +
    '😀 | 😃 | 😄 | 😁 | 😅 | 😂 | 🤣 | 🙂 | 😉 | 😊 | 😎 | 🤔 | 😬 | 🙃 | ✨ | 😆 | 🤷 | 😭 | 👀 | ♂ | ♀',
};
