/** The contract of writing a transcript: from messages to the records that the agent's own resume opens. */
import type { SpokenMessage } from '../../core/exchange/spoken.ts';
import type { JsonObject } from '../../core/json.ts';

/** Data from which a transcript is written. The same draft always gives the same records. */
export interface TranscriptDraft {
  /** The agent's own id of the session, which is new. */
  session: string;
  messages: readonly SpokenMessage[];
  /** True if the messages are from the same agent: content that only that agent understands is written, too. */
  isOwn: boolean;
  /** The folder that the agent will be started in, links resolved. */
  cwd: string;
  /** When it is exported, in Unix seconds. */
  at: number;
  title: string;
  /** The branch of Git; null if unknown. */
  branch: string | null;
  /** The model that the user has chosen in the agent's settings, as `provider/model`; null if none is known. */
  model: string | null;
  /** The provider of models in the agent's settings; null if its transcripts name none. */
  provider: string | null;
}

/** Data from which the path of a transcript is determined. */
export interface TranscriptTarget {
  /** The user's own folder of the agent. */
  home: string;
  session: string;
  cwd: string;
  at: number;
  /** Returns the text of a file; null if there is none. */
  read: (path: string) => string | null;
}

/** Functions and flags that define how an agent's transcript is written. */
export interface TranscriptWriter {
  /** True if the provider takes a history that begins with the agent. */
  mayBeginWithAgent?: true;
  /** True if the agent reads messages of the role `system` back as they were. */
  keepsSystem?: true;
  /** Makes an id of a session, of a UUID in lower case. */
  idOf: (uuid: string) => string;
  /** Returns the records of the file, one a line; of a document the only one. */
  records: (draft: TranscriptDraft) => JsonObject[];
  /** Returns the path of the file; absent if only the program itself takes a session in. */
  place?: (target: TranscriptTarget) => string;
  /** Words behind the program that take in a file, which is a document; absent if the program finds the file. */
  takeIn?: (file: string) => readonly string[];
  /** Files below the user's folders of the agent that name the model of the user, as `model`: the first that has one counts. */
  modelFiles?: readonly string[];
  /** Returns the provider of models that the user has chosen in the agent's settings; absent if transcripts name none. */
  providerIn?: (settings: Pick<TranscriptTarget, 'home' | 'read'>) => string;
}
