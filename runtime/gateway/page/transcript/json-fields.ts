/** What came over the wire is looked at field by field: the page shows what it knows and passes by the rest. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
