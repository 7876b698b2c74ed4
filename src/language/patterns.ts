/** Every pattern that the classifier uses; a test holds each of them to bounded repeats. */
export const PATTERNS = {
  /** A wrapper that an agent's window puts around what was typed. */
  wrapper: /<\/?(?:user_query|user_message|message|prompt)>/g,
  /** A call, whose brackets part no clauses. */
  call: /(\w)\([^()\n]{0,40}\)/g,
  /** The text by which the window of an agent replaces a picture or a long paste: "[Image #1]". */
  attachment: /\[(?:Image|Pasted text|File) #\d{1,4}[^\]\n]{0,60}\]/g,
  fence: /^(?:```|~~~)/,
  /** A line that no person types: a prompt with its command, a frame, a place in a stack, a time, JSON, a line of a diff. */
  pasted: /^(?:[$❯➜⏺⎿│┌└├╭╰>|{}[\]]|\+ ?\d.{2}|@@|at .{1,200}:\d|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d)/,
  problem: /^(?:[A-Z]\w{0,30}Error|Traceback|warning|error\[\w{1,8}\]|npm ERR!|FAIL|PASS)\b.{0,20}[:(]/,
  /** A line of code that nothing fences: it ends as a statement or a block does, or is a comment, an import, a declaration. */
  code: /(?:[)\]}'"`]|=\s.{1,120});\s{0,4}$|[\w)>]\s?\{\s{0,4}$|^(?:\/\/|\/\*|\*[\s/]|#include\b|import\s[^'"]{1,120}['"]|(?:export\s)?(?:const|function|async function)\s\w{1,80}\s?[=(:]|\}[;,)]{0,4}$|[a-z]{1,12}[A-Z]\w{0,24},$)/,
  codeSpan: /`[^`\n]{1,300}`/g,
  quotation: /"[^"\n]{1,300}"|“[^”\n]{1,300}”|「[^」\n]{1,300}」/g,
  link: /\bhttps?:\/\/[^\s]{1,500}/g,
  /** A command of the agent's own, as in "/review"; not a path. */
  command: /^\/([a-z][\w:-]{0,40})(?:\s|$)/i,
  questionMarks: /^[\s?？!]{1,20}$/,
  /** One value in the place of another. */
  correction: /^\s{0,8}make (?:it|that|this)\b.{1,60}\bnot\b/i,
  /** The agent offers to do more. */
  offer:
    /\b(?:want me to|would you like|shall i|should i|let me know if|if you(?:'d| would)? (?:like|want|prefer)|do you want|anything else|ready (?:to|for|when)|happy to|i can (?:also|start|begin|continue|go on|proceed)|part (?:2|two) (?:is|would|will))\b/i,
  /** The agent asks whether what it has finished is to be published. */
  asksToPublish:
    /\b(?:ready|ok|okay|good|safe) to (?:commit|merge|push|ship|deploy|release|publish|land)\b|\b(?:shall|should) i (?:commit|push|merge|ship|deploy|publish|release|open (?:a|the) (?:pr|pull request))\b|\bwant me to (?:commit|push|merge|ship|deploy|publish|release|open (?:a|the) (?:pr|pull request))\b/i,
  /** Matches the alternative that a yes declines: "happy with it, or should I change something?" */
  otherwise: /\bor (?:should|shall|can|could|do|would) (?:i|we|you)\b/i,
  /** An item of a list, by the mark before it. */
  listItem: /^(?:[-*+•]|\d{1,2}[.)]|[a-z][.)])\s/i,
  /** Something beside the task: "should I also …", "… as well?" */
  extra:
    /\b(?:also|as well|additionally|in addition|on top of (?:that|this|it)|unrelated|(?:'m|am|'re|are) at it|auch|noch|aussi|anche)\b|too [?]|\b(?:be|become) (?:a )?part of this (?:change|pr|pull request|commit|task|branch)\b|zusätzlich|également|también|además|também|также|同时|顺便|也|ついでに|一緒に|あわせて/i,
  /** The same before the question: "I could also … Interested?" */
  extraBefore: /\bi (?:can|could) also\b/i,
  /** An offer to do a thing. */
  offeredDeed: /\b(?:want|like) me to [a-z]{1,30}\b/i,
  /** It asks for a word: a label, or what a thing should say. */
  asksLabel:
    /\b(?:what|which) (?:[a-z-]{1,20} )?(?:label|caption|title|text|word|wording|verb|signal|keyword|phrase)\b|\bwhat(?:'s| is) the (?:[a-z-]{1,20} )?(?:word|verb|label|keyword|phrase)\b|\b(?:pick|choose|suggest) an? (?:verb|word|label|keyword|phrase)\b|\b(?:called|titled|labelled|labeled) ?[?]|\bwhat should (?:[^iw\s]|it).{0,20}\b(?:do|say|print|show) ?[?]/i,
  /** It asks for a name; few are called "stop". */
  asksName:
    /\b(?:what|which) name\b|\b(?:what|how) (?:shall|should|do) (?:i|we) (?:call|name|label|title)\b|\bwhat (?:do you want|would you like) to (?:call|name)\b|\bwhat(?:'s| is) the name\b|\b(?:what|which|the) (?:[a-z-]{1,20} )?action (?:on|for|should the)\b|\bnamed ?[?]|\bwhat should (?:the|it|this) .{0,25}\bbe ?[?]/i,
  /** It asks how a thing that is made should act, or what is done then. */
  asksOfReaction:
    /\bhow should (?:the|it) .{0,30}\b(?:react|behave|respond|act)\b|\bwhat (?:happens|should happen|should we do|should it do)\b/i,
  /** It wants something from the user. */
  asksFavor:
    /\b(?:(?:can|could|would|will) you|please) (?:please )?(?:re-?)?(?:paste|share|send|provide|give|attach|upload|post|check|run|show|point|describe|copy|try|open)\b/i,
  /** It asks leave for something, whether to do it, or whether it is still needed. */
  asksLeave:
    /\bmay (?:i|we)\b(?! (?:ask|know))|\b(?:ok|okay|fine|alright|all right) (?:if (?:i|we)|for me to|to)\b|^(?:allow|am i allowed|ok|okay|proceed|continue|go ahead|approve)\b.{0,40}[?]|\bdo you want to (?:proceed|continue)\b|\b(?:can|could|shall|should) (?:i|we)\b|\b(?:want|like) me to\b|\bstill (?:need|needs|needed|required|necessary)\b|^(?:delete|remove|drop|keep)\b.{0,40}[?]/i,
  /** Matches a question that asks to continue with the task. */
  continues:
    /\b(?:should|shall|may|can) i (?:continue|proceed|go on|start implementing)(?: with (?:this|the) \w{1,9})? ?[?]|\bme to (?:continue|proceed|go on|begin)(?: with (?:this|the) \w{1,9})? ?[?]|^(?:proceed|continue|go ahead) ?[?]/i,
  /** It asks leave, and does not only offer. */
  mayI: /\bmay (?:i|we)\b(?! (?:ask|know))|\b(?:ok|okay|fine|alright|all right)(?: if (?:i|we)\b| for me to\b| to\b| ?[?])|^(?:allow|approve)\b|\bdo you want to (?:proceed|continue)\b|\b(?:can|could|shall) (?:i|we)\b|^(?:proceed|continue|go ahead) ?[?]/i,
  /** It asks which way the task is to go. */
  asksWay: /\b(?:which|what|how|where|when)\b[^,;:—]{0,13} (?:would|do|should|can) (?:you|i|we)\b/i,
  /** It asks what is to be done with one thing. */
  asksWhatWith:
    /\bwhat about\b|\bwhat (?:should|shall|do|can) (?:i|we|you)\b.{0,20}\bdo (?:with|about)\b|\bwhat (?:happens|should happen|shall happen|is to happen) (?:with|to)\b|\bwhat (?:should|shall) become of\b/i,
  /** The agent says what it could do instead. */
  iCould: /\b(?:i|we) (?:can|could|may|might)\b/i,
  /** It asks for what the user knows. */
  asksFact:
    /\b(?:where|what|which|who|when|how (?:many|much|long|often)|wo|welche|dónde|cuál|quel|quelle)\b|où|哪|什么|どこ|何/i,
  /** A part of the plan at hand: "number 3 of your list". */
  planPart:
    /\b(?:number|item|step|point|bullet) ?#?\d|\b(?:of|from|on) (?:the|your|my|our) (?:plan|list|todos?|checklist|roadmap)\b|\b(?:first|second|third|fourth|next|last) (?:item|step|point|bullet)\b/i,
  /** A first prompt that continues what was done before. */
  resumes:
    /\b(?:continue|carry on|carrying on|resume|pick(?:ing)? (?:it |this |that )?(?:back )?up|keep going|go on|where (?:were|did) we|left off|last time|so far|status of|back to (?:it|this|that|the)|finish (?:it|this|that|up)|still (?:there|working))\b/i,
  /** Matches things that the agent is to leave as they are beside a stop: "don't commit anything". */
  leavesAll:
    /^(?:dont|do not) \w{2,10}(?: or \w{2,10})? (?:anything|any of (?:it|this|that|these|those|them))(?: else| more)?$/,
  /** A ticket is made for a task that is put off. */
  makesTicket: /\b(?:log|file|open|create|raise|make) (?:an? |the )?(?:[a-z]{1,10} )?(?:issue|ticket|bug)\b/,
  /** Matches words that come next in the messaging sense of a topic. */
  messaging: /\b(?:kafka|partitions?|broker|mqtt|pubsub)\b/i,
  /** A part of the work is closed: "that's it for the parser". */
  closesPart: /^(?:thanks |ok |great )?(?:thats it for|im done with|were done with|done with|finished with) /,
  /** The agent asks whether the work is well. */
  asksIfWell: /\b(?:good|right|okay|ok|fine|correct|well|great|better|works?) ?\?\s{0,3}$/i,
  arrow: /→|->/,
  refusesToPublish: /\bno (?:commit|push|merge|pr|deploy|release|publish)\b/,
  /** Matches words in which a stop is the name of a thing, or a no refuses more: "cancel works", "no that's all". */
  praisesNamed:
    /^(?:ok |the )?(?:stop|cancel|abort|quit|halt|drop) (?:works?|working|worked|looks|is|runs|behaves|feels)\b|^(?:no|nope|nah) (?:thats|that|its|it|im|were|all)\b/,
  onceMore: /^(?:and |then |now )?again(?: now| then| please| pls)?$/,
  /** A branch is merged into the work, a file is closed, or something is put at a place in the code: "release it in the finally". */
  publishesElse:
    /\bmerge (?:main|master|develop|dev|upstream|origin)\b|\bclos(?:e|ing) (?:the |this )?(?:file|branch|tests|stack|feature|repo|summary)\b|^(?:release|publish|commit|tag|close|push) (?:it|this|that|them) (?:in|into|from|at) (?:the|a|an)\b/,
  bareGo: /\band (?:continue|proceed|go on|carry on)$/,
  /** A sentence's end within a line. */
  sentenceEnd: /([^\d\s][.!?。？！])(?= |$)/g,
  /** The tool by which an agent puts a plan to the user. */
  plan: /\bExitPlanMode\b/,
} as const;
