/** Reads received values field by field: the story has the fields it knows and ignores the rest. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
