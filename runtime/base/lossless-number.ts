/**
 * Whether a JSON number keeps its value when it is parsed: it must be finite, and an integer must keep every digit, as all
 * up to ±9,007,199,254,740,991 do. Digits that a fraction loses after the fifteenth do not count: it was never exact.
 */
export function isLossless(number: string): boolean {
  const value = Number(number);
  if (!/^-?\d+$/.test(number)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || String(value) === number;
}

/** Whether every number in a JSON text keeps its value. */
export function hasLosslessNumbers(json: string): boolean {
  const bare = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  return (bare.match(/-?\d[\d.eE+-]*/g) ?? []).every(isLossless);
}
