import { z } from 'zod';
import { conversationKeySchema, seqSchema, turnIdSchema } from '../../../timeline/ids.ts';
import type { Snippet, SnippetToEmbed, TurnRow } from '../../../timeline/ports/store.ts';
import type { RankedHit } from '../../../timeline/search/ranking.ts';
import { parseRow } from '../rows/rows.ts';
import type { QueryWord } from './word-query.ts';

const ScopeRow = z.object({
  scope: z.string(),
  conv: conversationKeySchema.nullable(),
  convs: z.array(z.string()),
  uptos: z.array(z.string()),
});
const target = z.enum(['assistant', 'user', 'attachment', 'summary', 'notes']);
const Word = z.object({ word: z.string(), snippets: z.number(), alike: z.array(z.string()) });
const RankedRow = z.object({
  ranking: z.enum(['lexical', 'alike', 'semantic', 'newest']),
  place: z.number(),
  id: z.string(),
  age: z.number(),
});
const SnippetPart = z.object({ path: z.string(), target, at: z.string(), text: z.string() });
const TurnColumns = z.object({
  conversation: z.string(),
  turn: turnIdSchema,
  at: z.string(),
  ordinal: z.number(),
  turns: z.number(),
  recovery: z.boolean(),
});
const SnippetRow = TurnColumns.extend({ ...SnippetPart.shape, seq: seqSchema, place: z.number() });
const TurnOfPage = TurnColumns.extend({ snippets: z.array(SnippetPart), total: z.number() });
const Space = z.object({
  id: z.number(),
  dimensions: z.number().nullable(),
  indexed: z.boolean(),
  /** All vectors of the user are in the index. */
  placed: z.boolean(),
});
const NearRow = z.object({
  id: z.string(),
  age: z.number(),
  near: z.number().nullable(),
  vector: z.instanceof(Uint8Array).nullable(),
});
const UnembeddedRow = z.object({
  key: conversationKeySchema,
  seq: seqSchema,
  id: z.number(),
  text: z.string(),
});

export type Space = z.infer<typeof Space>;
export type NearRow = z.infer<typeof NearRow>;

export function toScopeRow(row: unknown): z.infer<typeof ScopeRow> {
  return parseRow(ScopeRow, row);
}

export function toQueryWord(row: unknown): QueryWord {
  return parseRow(Word, row);
}

export function toRanked(row: unknown): RankedHit {
  const { ranking, place, id, age: ageMs } = parseRow(RankedRow, row);
  return { ranking: ranking === 'newest' ? 'lexical' : ranking, place, id, ageMs };
}

export function toSnippet(row: unknown, scoreAt: (place: number) => number): Snippet {
  const { place, ...snippet } = parseRow(SnippetRow, row);
  return { ...snippet, score: scoreAt(place) };
}

export function toTurnRow(row: unknown): TurnRow & { readonly total: number } {
  return parseRow(TurnOfPage, row);
}

export function toSpace(row: unknown): Space {
  return parseRow(Space, row);
}

export function toNearRow(row: unknown): NearRow {
  return parseRow(NearRow, row);
}

export function toUnembedded(row: unknown): SnippetToEmbed {
  return parseRow(UnembeddedRow, row);
}
