type Representation = { readonly size: number; readonly etag: string };
type RequestHeader = (name: string) => string | undefined;

/** What a request for a file asks for. `end` is exclusive. */
export type RequestedBytes =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'not_modified' };

/**
 * RFC 9110: `If-None-Match`, `If-Range` with a strong tag, and `Range` with one range of bytes. Several ranges, another
 * unit and malformed values ask for the whole file, and so does a range of a file that has changed.
 */
export function requestedBytes(
  method: string,
  header: RequestHeader,
  { size, etag }: Representation,
): RequestedBytes {
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'whole' };
  if (isKnown(header('if-none-match'), etag)) return { kind: 'not_modified' };
  const isSame = (header('if-range')?.trim() ?? etag) === etag;
  // Ranges are defined for GET only. An empty file has no part, so that a client that always asks for one still gets it.
  if (method === 'HEAD' || !isSame || size === 0) return { kind: 'whole' };
  return rangeOf(header('range') ?? '', size);
}

/** Compares weakly: a proxy may have marked a tag as weak. */
function isKnown(ifNoneMatch = '', etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

function rangeOf(range: string, size: number): RequestedBytes {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range.trim()) ?? [];
  if (first === undefined || last === undefined || first + last === '') return { kind: 'whole' };
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0
      ? { kind: 'unsatisfiable' }
      : { kind: 'part', start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return { kind: 'whole' };
  if (start >= size) return { kind: 'unsatisfiable' };
  return { kind: 'part', start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
