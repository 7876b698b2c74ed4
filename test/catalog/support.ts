// Stores with conversations in them, what their catalog has, and what a scan of the whole store finds.
import { askCatalog, type Catalog, type CatalogOptions } from '../../src/catalog/catalog.ts';
import {
  answersIn,
  isRepetition,
  keyNumber,
  messageNumber,
  type Passage,
  passagesOfMessage,
  passagesOfRecord,
} from '../../src/catalog/feed/passages.ts';
import { eachWord } from '../../src/catalog/words/tokens.ts';
import { emptyConversation } from '../../src/core/conversation/conversation.ts';
import { foldConversation } from '../../src/core/conversation/fold.ts';
import { titleOf } from '../../src/core/listing/title.ts';
import { readTree } from '../../src/git/objects/tree-editor.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { payloadReader } from '../../src/history/chain/session-document.ts';
import { ARCHIVE, SESSIONS } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';

export const observe = (repository: ctx.Repository, ...records: object[]): void => {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const { problems } = ctx.observeBatch(repository, [Buffer.from(lines)]);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
};

export const message = (id: string, role: 'user' | 'assistant', parts: object[], metadata: object = {}): object => {
  return { kind: 'message', message: { id, role, parts, metadata } };
};
export const text = (words: string): object => ({ type: 'text', text: words });

/** Findings of a catalog, or of a scan: for each session its terms, each with the passages and places. */
export type Picture = Record<string, string[]>;

/** Adds the terms of a passage to a picture. */
function draw(picture: Picture, session: string, owner: string, key: number, words: string): void {
  const number = owner === '' ? 0 : messageNumber(owner);
  const lines = picture[session] ?? [];
  picture[session] = lines;
  let place = 0;
  eachWord(words, (word) => {
    for (const { term, offset } of word.terms) lines.push(`${number} ${key} ${place + offset} ${term}`);
    place += word.width;
  });
}

const sorted = (picture: Picture): Picture =>
  Object.fromEntries(Object.entries(picture).map(([session, lines]) => [session, lines.sort()]));

/** Returns the findings of the catalog. */
export function pictureOf(repository: ctx.Repository, options?: CatalogOptions): Picture {
  return askCatalog(repository, { sessions: true, commits: true }, drawCatalog, options);
}

export function drawCatalog(catalog: Catalog): Picture {
  const picture: Picture = Object.fromEntries([...catalog.sessions.keys()].map((id) => [id, []]));
  const gone = new Set(
    catalog.segments.flatMap(({ replaced }) =>
      replaced.flatMap(([number, all]) => all.map((one) => `${number} ${one}`)),
    ),
  );
  for (const segment of catalog.segments) {
    const rows = segment.sessionRows;
    for (const { term } of segment.dictionary.from())
      segment.eachPosting(term, (passage, _count, places) => {
        const owner = segment.messageOf.at(passage);
        const session = rows[segment.sessionOf(owner)]?.id ?? '';
        if (!catalog.counts(session, segment.number) || gone.has(`${segment.number} ${passage}`)) return;
        for (const place of places())
          picture[session]?.push(`${segment.idOf(owner)} ${segment.keyOf(passage)} ${place} ${term}`);
      });
  }
  return sorted(picture);
}

/** Scans every step of every session, with the conversation folded as a whole. */
export function scanned({ refs, objects }: ctx.Repository): Picture {
  const picture: Picture = {};
  for (const prefix of [ARCHIVE, SESSIONS])
    for (const [ref, head] of refs.list(prefix)) {
      const id = ref.slice(prefix.length);
      picture[id] = [];
      const conversation = emptyConversation();
      const records: [Passage, string][] = [];
      const said: string[] = [];
      let task: [string, string] = ['', ''];
      let title = '';
      for (const step of readSteps(objects, head, true)) {
        foldConversation(step.records, conversation);
        const fetch = payloadReader(objects, readTree(objects, step.commit.tree), 'a step');
        const answers = answersIn(foldConversation(step.records));
        for (const record of step.records) {
          if (isRepetition(record, answers)) continue;
          if (record.kind === 'task') task = [record.id, String(record['content'])];
          else for (const passage of passagesOfRecord(record, fetch)) records.push([passage, record.id]);
        }
        title = titleOf(step.session);
      }
      const none = () => null;
      for (const found of conversation.messages.values()) {
        const passages = [...passagesOfMessage(found, found.role, none)];
        if (found.role === 'user') said.push(...passages.map((one) => one.text));
        for (const { key, text: words } of passages) draw(picture, id, found.id, keyNumber(key), words);
      }
      for (const found of conversation.early.values())
        for (const { key, text: words } of passagesOfMessage(found, 'assistant', none))
          draw(picture, id, found.id, keyNumber(key), words);
      for (const [{ key, text: words }, owner] of records) draw(picture, id, owner, keyNumber(key), words);
      if (!said.some((words) => words.includes(task[1].trim()))) draw(picture, id, task[0], keyNumber('task'), task[1]);
      draw(picture, id, '', keyNumber('title'), title);
    }
  return sorted(picture);
}
