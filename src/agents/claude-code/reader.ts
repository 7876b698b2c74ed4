/** Reads a Claude Code transcript line by line: which record means what, and what follows from it. */
import { isObject, type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { Resume, TranscriptEvent, TranscriptReader } from '../agent.ts';
import { Session } from './about.ts';
import { Branches } from './branches.ts';
import { Conversation } from './conversation.ts';
import { type Call, callsForCursor, type Cursor, PROMPT_LIMIT, readCursor } from './cursor.ts';
import { derive, isRefused, wordsOfRefusal } from './derive.ts';
import { changes, fingerprint, idOf, isTrue, lineOf, type Surroundings, timeOf } from './fields.ts';
import type { Kept } from './kept.ts';
import { readLine } from './lines.ts';
import { Outbox, UNKNOWN_TIME } from './outbox.ts';
import { blocksOf, NO_RESULT, type Result, resultOf, withResult } from './parts.ts';
import { answerText, INTERRUPTED, isQuestion, questionText, whatIsSaid } from './said.ts';
import { Turn } from './turn.ts';
import { addTokens, tokensOf, usageDetails } from './usage.ts';
