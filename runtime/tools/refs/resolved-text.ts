import { createHash } from 'node:crypto';
import { isTextual } from '../files/mime.ts';
import { readBytesMax } from '../limits.ts';
import type { Resolved, TurnServices } from '../ports/call-services.ts';
import { isCut } from '../results/preview.ts';
import { indentJson } from '../text/indent-json.ts';

export type WholeText = Text | { readonly kind: 'binary' | 'too_large'; readonly bytes: number };

type Text = {
  readonly kind: 'text';
  readonly text: string;
  readonly sha256: string;
  /** The bytes begin with a mark that the text does not have. */
  readonly bom: boolean;
  /** Where it is not that of the path. */
  readonly mime?: string;
};

/** What react.read shows: a result as it was shown, or its whole value where that was only the beginning. */
export async function readableText(
  resolved: Resolved,
  services: Pick<TurnServices, 'bytes'>,
): Promise<WholeText> {
  const { shown } = resolved;
  if (shown === undefined || isCut(shown)) return wholeText(resolved, services);
  const compact = /^[[{]/.test(shown);
  return { ...toTextContent(shown), mime: compact ? 'application/json' : 'text/plain' };
}

/** All the text behind a path, as people read it: JSON indented, bytes decoded. Bytes that are no text stay bytes. */
export async function wholeText(
  resolved: Resolved,
  services: Pick<TurnServices, 'bytes'>,
): Promise<WholeText> {
  const { blob, data, text, mime } = resolved;
  if (blob === undefined) return toTextContent(text ?? JSON.stringify(data ?? null, null, 2));
  if (!isTextual(mime) && mime !== 'application/octet-stream')
    return { kind: 'binary', bytes: blob.size };
  if (blob.size > readBytesMax) return { kind: 'too_large', bytes: blob.size };
  const bytes = await services.bytes(resolved);
  const decoded = decode(bytes);
  if (decoded === undefined) return { kind: 'binary', bytes: blob.size };
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return toTextContent(resolved.path.startsWith('tc:') ? await indented(decoded) : decoded, bom);
}

/** Undefined for bytes that are no text. A last character that is `cut` is left out. */
export function decode(bytes: Uint8Array, { cut = false } = {}): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The stored value of a call is one line of JSON. */
async function indented(json: string): Promise<string> {
  if (!json.startsWith('"')) return indentJson(json);
  const value: unknown = JSON.parse(json);
  return String(value);
}

function toTextContent(text: string, bom = false): Text {
  return { kind: 'text', text, bom, sha256: createHash('sha256').update(text).digest('hex') };
}
