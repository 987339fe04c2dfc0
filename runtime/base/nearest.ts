/** The words ordered by edit distance from this one, ignoring case and punctuation; the first is the likeliest match. */
export function nearestFirst(word: string, words: readonly string[]): readonly string[] {
  const far = new Map(words.map((other) => [other, distance(bare(word), bare(other))]));
  return words.toSorted((a, b) => (far.get(a) ?? 0) - (far.get(b) ?? 0));
}

/** The likeliest match, if it is like this word: most letters are the same, or one contains the other. */
export function closestTo(word: string, words: readonly string[]): string | undefined {
  return nearestFirst(word, words).find((other) => isClose(word, other));
}

export function isClose(word: string, other: string): boolean {
  const [one, two] = [bare(word), bare(other)];
  const [short = '', long = ''] = one.length < two.length ? [one, two] : [two, one];
  if (short.length >= containedCharsMin && long.includes(short)) return true;
  return distance(one, two) <= long.length / 3;
}

const containedCharsMin = 3;

function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [at, other] of [...to].entries()) {
      const change = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
