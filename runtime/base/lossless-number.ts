/**
 * Whether a number, as JSON writes it, is the same once it is read: a finite one; an integer with every digit, as all are
 * to ±9,007,199,254,740,991. What a fraction loses behind its fifteenth digit is not counted: it was never exact.
 */
export function isLossless(number: string): boolean {
  const value = Number(number);
  if (!/^-?\d+$/.test(number)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || String(value) === number;
}

/** The same of every number in a text that is JSON. */
export function hasLosslessNumbers(json: string): boolean {
  const bare = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  return (bare.match(/-?\d[\d.eE+-]*/g) ?? []).every(isLossless);
}
