import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isJsonObject } from '../../base/json.ts';
import { isTextual } from '../files/mime.ts';
import { readBytesMax } from '../limits.ts';
import type { ResolvedPath, TurnServices } from '../ports/call-services.ts';
import { isCut } from '../results/preview.ts';
import { indentJson } from '../text/indent-json.ts';

const blobRef = z.object({ hash: z.string(), size: z.number() });

type WholeText = Text | { readonly kind: 'binary' | 'too_large'; readonly bytes: number };

type Text = {
  readonly kind: 'text';
  readonly text: string;
  readonly sha256: string;
  /** The bytes begin with a byte order mark, which the text omits. */
  readonly bom: boolean;
  /** Present if it differs from the type of the path. */
  readonly mime?: string;
};

/** The text that react.read shows: a result as it was shown first, or its whole value if only the beginning was shown. */
export async function readableText(
  resolved: ResolvedPath,
  services: Pick<TurnServices, 'bytes'>,
): Promise<WholeText> {
  const { shown } = resolved;
  if (shown === undefined || isCut(shown)) return wholeText(resolved, services);
  const compact = /^[[{]/.test(shown);
  return { ...toTextContent(shown), mime: compact ? 'application/json' : 'text/plain' };
}

/** The whole text at a path in readable form: JSON indented, bytes decoded. Binary content stays bytes. */
export async function wholeText(
  resolved: ResolvedPath,
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
  return toTextContent(resolved.path.startsWith('tc:') ? await indentValue(decoded) : decoded, bom);
}

/** The text that was taken from a PDF when it was attached. Undefined: there is none. */
export async function extractedText(
  { path, data }: ResolvedPath,
  services: Pick<TurnServices, 'bytes'>,
): Promise<Text | undefined> {
  const kept = isJsonObject(data) ? blobRef.safeParse(data['text']).data : undefined;
  if (kept === undefined) return undefined;
  const bytes = await services.bytes({ path, mime: 'text/plain', blob: kept });
  return { ...toTextContent(decode(bytes) ?? ''), mime: 'text/plain' };
}

/** Undefined if the bytes are not text. With `cut`, an incomplete last character is dropped. */
export function decode(bytes: Uint8Array, { cut = false } = {}): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The value of a call is stored as one line of JSON. */
async function indentValue(json: string): Promise<string> {
  if (!json.startsWith('"')) return indentJson(json);
  const value: unknown = JSON.parse(json);
  return String(value);
}

function toTextContent(text: string, bom = false): Text {
  return { kind: 'text', text, bom, sha256: createHash('sha256').update(text).digest('hex') };
}
