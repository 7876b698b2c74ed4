/** Every pattern that the classifier uses; a test holds each of them to bounded repeats. */
export const PATTERNS = {
  /** A wrapper that an agent's window puts around what was typed. */
  wrapper: /<\/?(?:user_query|user_message|message|prompt)>/g,
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
  /** What a yes declines: "happy with it, or should I change something?" */
  otherwise: /\bor (?:should|shall|can|could|do|would) (?:i|we|you)\b/i,
  /** An item of a list, by the mark before it. */
  listItem: /^(?:[-*+•]|\d{1,2}[.)]|[a-z][.)])\s/i,
  /** Something beside the task: "should I also …", "… as well?" */
  extra:
    /\b(?:also|as well|additionally|in addition|on top of (?:that|this|it)|unrelated|(?:'m|am|'re|are) at it|auch|noch|aussi|anche)\b|too [?]|\b(?:be|become) (?:a )?part of this (?:change|pr|pull request|commit|task|branch)\b|zusätzlich|également|también|además|também|также|同时|顺便|也|ついでに|一緒に|あわせて/i,
  /** The same before the question: "I could also … Interested?" */
  extraBefore: /\bi (?:can|could) also\b/i,
  /** The verb of an offer of the agent. */
  offeredVerb: /\b(?:want|like) me to ([a-z]{1,30})\b/i,
  /** It asks for a word: a label, a name. */
  asksWord:
    /\bwhat (?:happens|should happen)\b|\b(?:what|which) (?:[a-z-]{1,20} )?(?:label|caption|title|text|word|wording|verb|signal|keyword|phrase)\b|\bwhat(?:'s| is) the (?:[a-z-]{1,20} )?(?:word|verb|label|keyword|phrase)\b|\b(?:pick|choose|suggest) an? (?:verb|word|label|keyword|phrase)\b|\b(?:called|titled|labelled|labeled) ?[?]/i,
  /** It asks how a thing that is made should act. */
  asksOfReaction: /\bhow should (?:the|it|this|that|each|every) (?:[\w-]{1,20} ){0,3}(?:react|behave|respond|act)\b/i,
  /** It asks for a name; few are called "stop". */
  asksName:
    /\b(?:what|which) name\b|\b(?:what|how) (?:shall|should|do) (?:i|we) (?:call|name|label|title)\b|\bwhat (?:do you want|would you like) to (?:call|name)\b|\bwhat(?:'s| is) the name\b|\b(?:what|which|the) (?:[a-z-]{1,20} )?action (?:on|for|should the)\b|\bnamed ?[?]/i,
  /** It asks what a thing should do, be or say; not what the agent should do. */
  asksOfThing: /\bwhat should (?:[^iw\s]|it)/i,
  /** It wants something from the user. */
  asksFavor:
    /\b(?:(?:can|could|would|will) you|please) (?:please )?(?:re-?)?(?:paste|share|send|provide|give|attach|upload|post|check|run|show|point|describe|copy|try|open)\b/i,
  /** It asks leave for one thing. */
  mayI: /\bmay (?:i|we)\b(?! (?:ask|know))|\b(?:ok|okay|fine|alright|all right) (?:if (?:i|we)|for me to|to)\b|^(?:allow|am i allowed)\b|\bdo you want to (?:proceed|continue)\b/i,
  /** It asks leave for what was said before it. */
  goOn: /^(?:ok|okay|proceed|continue|go ahead|approve|is (?:that|this|it) (?:ok|okay|fine)) ?[?]/i,
  /** It asks leave too, or which of two things it shall do. */
  shallI: /(?:^|[.!:,;—-] ?)(?:so |and |then )?(?:can|could|shall) (?:i|we)\b/i,
  /** It asks whether it is to do a thing, which "cancel it" may speak of; or which of two. */
  shouldI: /^(?:so |and |then )?(?:should (?:i|we)|(?:do you |would you )?(?:want|like) me to)\b/i,
  /** The verb of a deed for which the agent asks permission. */
  deedVerb:
    /\b(?:(?:should|shall|can|could|may) (?:i|we)|(?:want|like) me to)(?: (?:also|now|just|then))? ([a-z]{1,30})\b/i,
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
  /** What only leads up to what is next. */
  nextOnList: /^next(?: (?:up|thing|one|item))?(?: (?:on|in) (?:my|our|the) list)?(?: (?:is|would be|will be))?(?= |$)/,
  /** The tool by which an agent puts a plan to the user. */
  plan: /\bExitPlanMode\b/,
} as const;
