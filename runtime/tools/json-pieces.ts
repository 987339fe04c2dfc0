/**
 * The JSON of a value, as JSON.stringify writes it: objects key by key, lists item by item, so that the whole text is
 * never there at once; an item is.
 */
export function* jsonPieces(
  value: unknown,
  clean: (text: string) => string,
): Generator<string, void> {
  if (Array.isArray(value)) yield* listPieces(value, clean);
  else if (isPlain(value)) yield* objectPieces(value, clean);
  else yield whole(value, clean);
}

function* listPieces(
  list: readonly unknown[],
  clean: (text: string) => string,
): Generator<string, void> {
  let before = '[';
  for (const item of list) {
    yield before + whole(item, clean);
    before = ',';
  }
  yield list.length === 0 ? '[]' : ']';
}

function* objectPieces(object: object, clean: (text: string) => string): Generator<string, void> {
  let before = '{';
  for (const [key, item] of Object.entries(object)) {
    if (isLeftOut(item)) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* jsonPieces(item, clean);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function whole(value: unknown, clean: (text: string) => string): string {
  const cleaned = (_: string, leaf: unknown) => (typeof leaf === 'string' ? clean(leaf) : leaf);
  // In a list even what is no JSON has a place: null.
  return JSON.stringify([value], cleaned).slice(1, -1);
}

/** Of an object JSON leaves these out; in a list they are null. */
function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

/** What says itself what it is in JSON, like a date, is no list of keys. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
