/** Words as in the SQL store: without case and accents, in their order. */
export function wordsOf(text: string): readonly string[] {
  const bare = text.normalize('NFKD').replaceAll(/[\u0300-\u036f]+/g, '');
  const plain = bare.normalize('NFC').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const stemMin = 4;
const similarityMin = 0.3;

/** Whether the words differ only by their ending or a misspelling. */
export function areAlike(a: string, b: string): boolean {
  if (a === b) return false;
  const stem = a.slice(0, Math.max(stemMin, a.length - 3));
  if (a.length >= stemMin && b.startsWith(stem)) return true;
  return similarity(a, b) >= similarityMin;
}

/** The share of trigrams that two words have in common, from 0 to 1. */
function similarity(a: string, b: string): number {
  const [mine, other] = [trigrams(a), trigrams(b)];
  const shared = [...mine].filter((each) => other.has(each)).length;
  return shared / (mine.size + other.size - shared);
}

function trigrams(word: string): ReadonlySet<string> {
  const padded = [...`  ${word} `];
  return new Set(padded.slice(2).map((_, index) => padded.slice(index, index + 3).join('')));
}
