/** Every pattern that the classifier uses; a test holds each of them to bounded repeats. */
export const PATTERNS = {
  /** A wrapper that an agent's window puts around what was typed. */
  wrapper: /<\/?(?:user_query|user_message|message|prompt)>/g,
  fence: /^(?:```|~~~)/,
  /** A line that no person types: a prompt with its command, a frame, a place in a stack, a time, JSON, a line of a diff. */
  pasted: /^(?:[$❯➜⏺⎿│┌└├╭╰>|{}[\]]|\+ ?\d|@@|at .{1,200}:\d|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d)/,
  problem: /^(?:[A-Z]\w{0,30}Error|Traceback|warning|error\[\w{1,8}\]|npm ERR!|FAIL|PASS)\b.{0,20}[:(]/,
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
    /\b(?:want me to|would you like|shall i|should i|let me know if|if you(?:'d| would)? (?:like|want|prefer)|do you want|anything else|ready (?:to|for|when)|happy to|i can also)\b/i,
  /** The tool by which an agent puts a plan to the user. */
  plan: /\bExitPlanMode\b/,
} as const;
