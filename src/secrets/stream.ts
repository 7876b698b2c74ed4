/** Redacts contents that come in pieces of any size: what comes out is the same as of the whole, and little is held. */
import { type Counts, count, noCounts } from '../core/counts.ts';
import { candidatesOf } from './find.ts';
import { engineOf, type RedactionOptions } from './options.ts';
import { resolveOverlaps } from './overlaps.ts';
import { readKeyData } from './private-key.ts';
import { type Label, markerAt } from './redact.ts';
import { type Found, LONGEST_CONTEXT, LONGEST_MATCH } from './rule.ts';

/** So much is read before it is looked at. */
const STRETCH = 131_072;
/** Length of the end of the text that was read that may still change. */
const UNSURE = 2 * LONGEST_MATCH + 256;
/** A private key longer than this is let go before its end is known. */
const LONGEST_HELD = 65_536;

/** Takes a text in pieces and gives it back redacted in others. */
export interface TextStream {
  push(piece: string): string;
  end(): string;
  readonly findings: Counts;
}

/** Called of a finding, and of the line that it begins in, from 1. */
type Watch = (rule: string, secret: string, line: number) => void;

/** @param watch reported each finding, in order */
export function redactedText(options: RedactionOptions | undefined, label: Label, watch?: Watch): TextStream {
  const engine = engineOf(options);
  const findings = noCounts();
  /** Text that was given back already but may be looked at, and from `past` on what was not. */
  let text = '';
  let past = 0;
  /** Lines that end before `counted`; they are counted only for `watch`. */
  let lines = 0;
  let counted = 0;
  const countTo = (index: number): number => {
    // Of that stretch alone: a text of one line would be looked through to its end at each finding.
    const passed = text.slice(counted, index);
    for (let at = passed.indexOf('\n'); at >= 0; at = passed.indexOf('\n', at + 1)) lines++;
    counted = Math.max(counted, index);
    return lines + 1;
  };
  /** In the middle of a private key whose marker was given back. */
  let inKey = false;
  let linePrefix = '';

  const leaveKey = (sure: number, final: boolean): void => {
    const data = readKeyData(text, past, true, linePrefix, sure);
    past = data?.end ?? past;
    inKey = !final && data?.open === true;
  };

  const pass = (final: boolean): string => {
    const parts: string[] = [];
    const sure = final ? text.length : Math.max(past, text.length - UNSURE);
    if (inKey) leaveKey(sure, final);
    if (!inKey) {
      let open: Found | undefined;
      const context = Math.max(0, past - LONGEST_CONTEXT);
      for (const found of resolveOverlaps(candidatesOf(text, context, past, engine))) {
        if (found.start >= sure) break;
        const isOpen = !final && found.rule === 'private-key' && text.length - found.end < UNSURE;
        if (isOpen && text.length - found.start < LONGEST_HELD) {
          open = found;
          break;
        }
        parts.push(text.slice(past, found.start));
        const secret = text.slice(found.start, found.end);
        if (found.allowed !== true) watch?.(found.rule, found.meant ?? secret, countTo(found.start));
        parts.push(found.allowed === true ? secret : markerAt(text, found, label));
        if (found.allowed !== true) count(findings, found.rule);
        past = found.end;
        if (!isOpen) continue;
        linePrefix = found.linePrefix ?? '';
        past = readKeyData(text, found.start, false, linePrefix, sure)?.end ?? found.end;
        inKey = true;
        break;
      }
      const stop = inKey ? past : wholeCharacter(text, Math.max(past, Math.min(sure, open?.start ?? sure)), past);
      parts.push(text.slice(past, stop));
      past = stop;
    }
    const drop = Math.max(0, past - LONGEST_CONTEXT);
    if (watch) countTo(drop);
    counted -= drop;
    text = text.slice(drop);
    past -= drop;
    return parts.join('');
  };

  return {
    findings,
    push(piece) {
      text += piece;
      return text.length - past >= STRETCH ? pass(false) : '';
    },
    end: () => pass(true),
  };
}

/** An index that does not part the halves of a character. */
function wholeCharacter(text: string, index: number, least: number): number {
  const code = text.charCodeAt(index - 1);
  return index > least && index < text.length && code >= 0xd800 && code < 0xdc00 ? index - 1 : index;
}
