import type { Origin, Prompt } from './wire.ts';

/** A passage of a prompt that shares words with a sentence. */
export type LikelySource = {
  readonly part: number;
  readonly origin: Origin;
  readonly text: string;
  /** Sum over the shared words; a rare word counts more. */
  readonly score: number;
};

const shownMax = 6;
/** A passage with less than this share of the best score says something else. */
const shareMin = 0.34;

/** The passages that share the rarest words with a sentence, best first. */
export function likelySources({ parts }: Prompt, sentence: string): readonly LikelySource[] {
  const words = wordsOf(sentence);
  const passages = parts.flatMap((part, index) =>
    part.origins
      .filter(({ as }) => as !== 'heading' && as !== 'runtime')
      .map((origin) => {
        const text = part.text.slice(origin.from, origin.to);
        return { part: index, origin, text, words: wordsOf(text) };
      }),
  );
  const weight = new Map<string, number>();
  for (const word of words) {
    const found = passages.filter((passage) => passage.words.has(word)).length;
    if (found > 0) weight.set(word, Math.log(1 + passages.length / found));
  }
  const shared = passages.filter(({ words: own }) =>
    isTelling([...words].filter((each) => own.has(each))),
  );
  const scored = shared.map(({ words: own, ...passage }) => ({
    ...passage,
    score: [...weight].reduce((sum, [word, value]) => sum + (own.has(word) ? value : 0), 0),
  }));
  const sorted = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  const best = sorted[0]?.score ?? 0;
  return sorted.filter(({ score }) => score >= best * shareMin).slice(0, shownMax);
}

/** One short word, such as “was”, is in any text. */
function isTelling(words: readonly string[]): boolean {
  return words.length > 1 || words.some((word) => !/^[a-z]{3,4}$/.test(word));
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
}

/** The longest word of a sentence: what a search for blocks begins with. */
export function rarestWord(sentence: string): string | undefined {
  const words = [...wordsOf(sentence)];
  const numbers = words.filter((word) => /\d/.test(word));
  return (numbers.length > 0 ? numbers : words).toSorted((a, b) => b.length - a.length)[0];
}

/** The sentences of a text, with what separates them. Joined, they are the text. */
export function sentencesOf(
  text: string,
): readonly { readonly sentence: string; readonly from: number }[] {
  const found = text.matchAll(/[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*[.!?]*[^\S\n]*|[.!?\n]+/gu);
  return [...found].map((match) => ({ sentence: match[0], from: match.index }));
}
