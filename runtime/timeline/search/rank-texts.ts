import { fuse, type RankedHit } from './ranking.ts';
import { cosine, isVector } from './vectors.ts';
import { areAlike, wordsOf } from './word-match.ts';

export type RankedText = {
  readonly id: string;
  readonly text: string;
  readonly vector?: ArrayLike<number> | undefined;
  readonly ageMs: number;
};
type Query = { readonly text: string; readonly vector?: readonly number[] | undefined };

/**
 * Short texts by words and meaning, best first; those that have nothing in common with the query come last, newest
 * first. Compares the query with every text, so the number of texts must be limited.
 */
export function rankTexts<Text extends RankedText>(
  texts: readonly Text[],
  query: Query,
): readonly Text[] {
  const bags = new Map(texts.map(({ id, text }) => [id, new Set(wordsOf(text))]));
  const bagOf = (id: string) => bags.get(id) ?? new Set<string>();
  const wanted = [...new Set(wordsOf(query.text))];
  const weights = new Map(wanted.map((word) => [word, rarity(word, [...bags.values()])]));
  const lexical = ({ id }: Text) =>
    wanted.reduce((sum, word) => sum + (bagOf(id).has(word) ? (weights.get(word) ?? 0) : 0), 0);
  const alike = ({ id }: Text) =>
    wanted.filter((word) => [...bagOf(id)].some((each) => areAlike(word, each))).length;
  const { vector } = query;
  const semantic = (text: Text) =>
    vector && text.vector && isVector(vector, text.vector.length) ? cosine(text.vector, vector) : 0;
  const hits = [
    ...ranking('lexical', texts, lexical),
    ...ranking('alike', texts, alike),
    ...ranking('semantic', texts, semantic),
  ];
  const places = new Map(fuse(hits).map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: Text) => places.get(id) ?? texts.length;
  return texts.toSorted((a, b) => placeOf(a) - placeOf(b) || a.ageMs - b.ageMs);
}

/** Words of every second text say little. */
function rarity(word: string, bags: readonly ReadonlySet<string>[]): number {
  const having = bags.filter((bag) => bag.has(word)).length;
  return Math.log(1 + bags.length / Math.max(1, having));
}

function ranking<Text extends RankedText>(
  name: RankedHit['ranking'],
  texts: readonly Text[],
  score: (text: Text) => number,
): readonly RankedHit[] {
  return texts
    .map((text) => ({ text, score: score(text) }))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score || a.text.ageMs - b.text.ageMs)
    .map(({ text: { id, ageMs } }, index) => ({ ranking: name, place: index + 1, id, ageMs }));
}
