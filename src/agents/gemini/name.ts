/** What ctx calls this agent. */
export const AGENT_NAME = 'gemini';
