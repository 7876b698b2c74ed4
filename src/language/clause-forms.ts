/** Classifies a clause by its first words: a question, a request for an answer, a request for work, or another task. */
import { wordSet } from '../core/word-set.ts';
import { type PhraseBook, type PhraseTable, phraseBook } from './phrases.ts';

/**
 * `ask`: a question. `inform`: wants to be informed or shown, changes nothing. `request`: wants something done. `suggest`: a
 * wish in the form of a question. `also`: adds to what there is. `topic`: opens another task in so many words.
 * `own`: says what the user does. `lead`: leads up to the rest and means nothing. `talk`: wants to talk first.
 * `follow`: opens what comes next, another task unless it continues with this one. `but`: takes back part of what was said.
 */
export type Form =
  | 'ask'
  | 'inform'
  | 'request'
  | 'suggest'
  | 'also'
  | 'topic'
  | 'follow'
  | 'but'
  | 'talk'
  | 'own'
  | 'lead';

const SUBJECT =
  'i/you/u/we/they/he/she/it/there/this/that/these/those/the/a/an/any/all/my/our/your/its/both/anyone/anybody/everything/everyone/someone/users/people/1/2/3/4/5/#1/#2/#3';
const PERSON = 'i/you/u/we/they';
const MODAL = 'can/could/would/will';
/** Verbs that open a task; others change what is there. */
const OPENING =
  'add/build/implement/create/write/design/develop/start/begin/tackle/introduce/draft/work/focus/plan/prototype/set/integrate/port/migrate/fix/make/do/get';

/** What counts before the tables below where a phrase is in both. */
const STRONGER: PhraseTable<Form> = {
  topic:
    'now on to | for the next task/ticket/issue | now for the other repo/project/repository | i have another one for you | ive got another one for you | pick/picking up the next one/ticket/issue/task/story | take the next one/ticket/issue/task/story from | now for something else/new/different | now for something completely/totally/entirely different | can/could you start/begin on/with a new/different task/feature/project/issue/ticket | now for an unrelated thing/matter/issue/problem/topic/task | a completely/totally/entirely new thing/task/topic/subject | something more urgent | something else more urgent | theres something more urgent | put this/that on hold and | lets put this/that on hold and | park this/that and | lets park this/that and | put this/that aside and | lets put this/that aside and | drop what youre doing | drop what you are doing | drop everything and | ' +
    'different topic/subject/task/issue/matter | different thing now | on a different/separate/unrelated/side/new topic/subject/matter | on an unrelated note | on another topic/subject/matter | another topic/subject/task | new topic/task/subject/feature/session/request/project | new feature request | new bug report | ' +
    'completely/totally/entirely/quick unrelated | unrelated to/question/thing/issue/task/note/bug/topic/request/but | something completely/totally/entirely different | something else entirely | other topic/subject/task/matter | a different/separate/unrelated/new task/topic/subject/matter | change of topic/subject | changing topic/topics/subject/subjects | completely/totally/entirely different topic/task/subject/matter/issue/problem | on to something else entirely/completely | on to something completely/totally/entirely else/different/new/unrelated | ive got a new/different/separate/unrelated task/topic/project | i have a new task/topic | heres a new/different task/topic | heres another task/topic | ' +
    'switching gears/topic/topics/subject/subjects | switch gears/topic/topics | lets switch/change gears/topic/topics/subject/subjects | lets switch/move/turn to another/ticket/issue/task | lets switch/move to a different/new/separate/unrelated task/issue/topic/ticket/feature/project/subject | lets switch/move to the next task/issue/topic/ticket/feature/project | lets switch to something else | lets move on | lets move onto | ' +
    'lets turn to | moving on | moving onto | move on to | on to the next | onto the next | next up | next one | next task/topic/issue/ticket/feature/story/project | the next task/topic/issue/ticket | ' +
    'i have a/another different/new/separate/unrelated task/request/feature/topic | i have a/another separate/unrelated issue/problem | i have another task/request/feature/project/topic | i have a new project | ' +
    'i have something else for you | i want to work on something else/different | i want to start something new/else | lets work on something else/different/new | lets do something else | lets start a new/different/separate task/session/feature/project/topic/ticket/thing | lets start another task/session/feature/project/topic/ticket | ' +
    'start/begin a new task/session/feature/project/topic | start/begin on/with a new/different task/feature/project/topic | on to a new/different task/issue/ticket/topic/feature/project | new/another job for you | i have a/another/new job for you | ive got a/another new/different/separate task/job | ive got another task/job for you | lets start on something new/different/else | forget all that and | separate topic/task/issue/thing | unrelatedly | as a separate task/topic/thing | ' +
    'anderes thema | neues thema | neue aufgabe | nächste aufgabe | autre/nouveau sujet | nouvelle tâche | changeons de sujet | otro/nuevo tema | nueva tarea | cambiando de tema | 换个话题 | 另一个话题 | 新任务 | 下一个任务 | 另外一件事 | 別の話題 | 別の話 | 別件 | 新しいタスク | 次のタスク | 話は変わりますが',
  follow:
    `now/next lets/we/ill/id ${OPENING} | now/next let us ${OPENING} | next lets get started | now lets get started | ` +
    'next we need/should/can | next i want/need | next id like | ' +
    'lets tackle | lets get started on/with | lets start working on | lets work on | lets start on | lets begin work/working on | lets jump to/into/on/onto | ahora vamos | als nächstes | weiter mit | weiter gehts mit | ensuite | passons à/au | on passe à/au | on peut passer à/au | pasemos a/al | sigamos con | passiamo a/al/alla | 接下来 | 次は',
  talk: 'lets discuss/talk | lets think about/through | lets chat | can we talk/discuss/chat | please lets talk/discuss | i want to discuss/talk | id like to discuss/talk | we should discuss/talk | we need to discuss/talk',
  inform:
    'explain | clarify | describe | elaborate | summarize | summarise | tell me | show | show me | list all/the/every | remind me | walk me through | help me understand | give me a/an/the summary/overview/list/explanation/example/recap/status/tldr | give me more details/detail/context/info | ' +
    'let me see | lets see | i want to know/understand | i would like to know/understand | id like to know/understand | id love to know/understand | i need to know/understand | recap | status | tldr | more details/detail/info | say more | ' +
    'break it/this/that down | elaborate on | please elaborate | what about | how about explaining/showing | ' +
    `${MODAL} you explain/clarify/describe/elaborate/summarize/summarise/tell/show/list/display/remind/check/verify/confirm/see/look/recheck/re-check/double/doublecheck/double-check/review/walk/compare/paste/print/think/find/outline/recap/share/point/estimate/count/identify | ${MODAL} you help me understand/see | ${MODAL} you please explain/clarify/describe/elaborate/summarize/summarise/tell/show/list/check/verify/confirm/look/double/review/walk/compare | ` +
    `${MODAL} you quickly/just/also/again/first explain/tell/show/check/verify/confirm/look/summarize/list/double | ${MODAL} you give me a/an/the/some/more | ${MODAL} you write me a summary/short | ${MODAL} we see/look/check/verify/confirm/compare/talk/discuss/know/trust/assume/tell/say/be | can u explain/show/tell/check/list | ` +
    'check if/whether/how/why/what | see if/whether | have a look at | take a look at | have you | did you | do you | erklär | erkläre | zeig | zeig mir | zeige mir | explique | explique-moi | montre | montre-moi | explica | explícame | muéstrame | muestra | spiega | mostrami | explique-me | объясни | покажи | 解释 | 解释一下 | 说明 | 展示 | 显示 | 给我看 | 説明して | 見せて | 教えて',
};

const FORMS: PhraseTable<Form> = {
  ask:
    'what | whats | wat | wats | why | whys | wheres | whos | hows | whens | whose | what if | how | where | when is/are/was/were/do/does/did/will/would/can/could/should | ' +
    'who | which | i have a/another/one question | i have some/a questions | any idea/ideas/reason/chance/news/update/updates/luck/way | is it | is that | ' +
    `is/are/was/were/isnt/arent/wasnt/werent ${SUBJECT} | does/did/doesnt/didnt ${SUBJECT} | do/dont/have/havent ${PERSON} | has/had/hasnt ${SUBJECT} | ` +
    `should/shall/shouldnt/cant/couldnt/wouldnt/wont/would/will/may/might ${SUBJECT} | can/could i/they/it/this/that/users/the | am i | ` +
    'you think | u think | you mean | you sure | are you sure | isnt | arent | i wonder/wondered | im wondering/curious/confused | i am wondering/curious/confused | wondering | curious | not sure i understand/follow/get | ' +
    'i dont understand | i dont get why/what/how/it/this/that/the | i dont see why/how | i dont know why/what/how | idk why/what/how/if | i do not understand | im not sure i understand/follow | im not following | just curious | ' +
    'pros and cons | warum | wieso | was | wie | wo | wann | welche | welcher | welches | kannst du erklären | quest-ce | quoi | pourquoi | comment | est-ce | quest ce que | quel | quelle | qué | que es | por qué | porque | cómo | como | cuál | dónde | perché | come mai | cosa | ' +
    'почему | что | как | зачем | где | 为什么 | 什么 | 怎么 | 如何 | 哪里 | 哪个 | 是不是 | 有没有 | なぜ | どうして | 何 | どこ | どう | どれ | いつ | 왜 | 무엇 | 어떻게',
  suggest:
    'how about | what about if we | what if we/you | why dont we/you | why not | can we | can u | can you | could we | could you | would you | will you | could u | can i get | could i get | can i have | could i have | mind | would it be possible to | is it possible to | shouldnt we | shouldnt this/it/that be | couldnt we | cant we just | can it | what about adding/using/making/moving/putting/renaming/removing/splitting/replacing/changing/having/switching/setting/keeping/caching/giving/dropping | maybe we should/could/can | perhaps we should/could/can | wanna | ' +
    'kannst/könntest/kannste du | können/könnten wir/sie | könnt/könntet ihr | peux-tu | pourrais-tu | peut-on | pouvez-vous | pourriez-vous | tu peux/pourrais | puedes | podrías | podemos | puoi | potresti | possiamo | você pode | poderia | можешь | можете | можно | 能不能 | 能帮我 | 可以帮我',
  own: 'let me | ill | i will | wewill | im going to | im gonna | i am going to | ive | i have | i had | i did | i was | i am | im',
  lead: 'hang/hold on | wait a sec/second/minute/moment | did/does the trick | which was/were | q | question | quick question | one question | another question | one more question | lets say | i think | i guess | i believe | i feel | i suppose | i mean | i would say | id say | i actually | so basically | that said | in that case',
  also: 'also | additionally | and also | plus | as well | in addition | additionally | on top of that | on another note | on a different/separate/side/new note | furthermore | oh and | and please | one more thing | another thing | one other thing | a few more things | few more things | a couple more things | one last thing | außerdem | auch | aussi | también | ademas | además | 另外 | 还要 | 还有 | あと | それと | また',
  but: 'but | however | except | although | though | only | just one thing | just one | one thing | one issue/problem | aber | mais | pero | ma | mas | но | 但是 | 但 | 不过 | でも | ただ | しかし | ただし',
};

const IMPERATIVES =
  'add use make change remove rename move fix update delete replace revert undo create write rewrite refactor implement include exclude put set keep drop kill switch convert extract inline split join combine ' +
  'reduce increase hardcode hard-code raise lower bump adjust tweak modify edit apply run rerun test retest try install uninstall upgrade downgrade build rebuild start restart reset reload rebase pull fetch checkout clone commit push merge ' +
  'deploy publish release tag close reopen log handle support ensure enable disable allow prevent avoid skip ignore hide mock stub cover document comment format lint clean cleanup simplify shorten expand extend ' +
  'optimize optimise improve speed cache store save load read parse validate sanitize escape encode decode sort filter limit cap wrap import export copy paste paste insert append prepend generate draft open respond reply ' +
  'investigate debug trace analyze analyse research find search look check verify review double-check recheck continue go exit turn stop abandon cancel redo repeat reuse reference link attach assign name call return throw catch pass send ' +
  'mark treat default configure parametrize parameterize hook wire connect integrate port migrate translate delegate follow take give leave do';

const REQUESTS: PhraseTable<Form> = {
  request:
    'please | pls | plz | lets | lets move on with | let us | i want | i would like | id like | id love | id rather | id prefer | i need | we need | we should | we must | we have to | you need | you should | you must | you have to | you can | it should | this should | that should | it needs | needs | need to | ' +
    'what i really/actually/just meant/mean/wanted/want/needed/need/asked | what i meant/mean/wanted/want/needed/need is/was | should be | must | it would be great/good/nice/better/cool/best/awesome if/to | would be great/good/nice/better/cool if/to | would love | make sure | be sure | dont | do not | never | instead | rather | bitte | mach | füge | ändere | benutze | verwende | ajoute | utilise | change | mets | añade | agrega | usa | cambia | haz | aggiungi | usa | adicione | 添加 | 加上 | 改成 | 使用 | 修改 | 删除 | 把 | 请 | 帮我 | 追加して | 変更して | 使って | 直して | ' +
    IMPERATIVES.split(' ').join(' | '),
};

/** The forms, by the words that a clause begins with. */
export const FORM_BOOK: PhraseBook<Form> = phraseBook<Form>(STRONGER, FORMS, REQUESTS);

/** Words that lead up to what a sentence says and do not change it. */
export const LEADS = wordSet(
  'ok okay k kk so and then well hmm hm hmmm um umm uh oh ah ahh alright right now yes yeah yep yup ya sure no nope nah wait actually btw basically anyway anyways hey hi hello great cool nice perfect good awesome thanks thank ' +
    'thx sorry meanwhile again like just maybe perhaps dude man mate bro claude codex gemini ehh eh huh lol haha ugh first alternatively honestly crap damn shit ' +
    'wtf also but however or because fyi please pls plz quick quickly omg wow fucking hell',
);
