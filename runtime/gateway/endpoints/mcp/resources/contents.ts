import type { ContentBlock } from '@modelcontextprotocol/server';
import { isTextual } from '../../../../tools/files/mime.ts';
import { embeddedTextBytesMax, mediaBytesMax } from '../messages/limits.ts';

export type Contents = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

type Named = { readonly uri: string; readonly mime: string };

/** A resource as the protocol writes it. */
export function toContents({ uri, mime }: Named, body: string | Uint8Array): Contents {
  if (typeof body === 'string') return { uri, mimeType: mime, text: body };
  const bytes = Buffer.from(body);
  return isTextual(mime)
    ? { uri, mimeType: mime, text: bytes.toString('utf8') }
    : { uri, mimeType: mime, blob: bytes.toString('base64') };
}

/** What models can look at or listen to. */
const mediaShape = /^(image)\/(?:png|jpeg|gif|webp)$|^(audio)\/[\w.+-]+$/;

/** Bytes of a file that a message carries. 0: models cannot take in a file of this type. */
export function embeddedBytesMax(mime: string): number {
  if (mediaShape.test(mime)) return mediaBytesMax;
  return isTextual(mime) ? embeddedTextBytesMax : 0;
}

/** A file as a part of a message. */
export function toContent({ uri, mime }: Named, body: string | Uint8Array): ContentBlock {
  if (!mediaShape.test(mime))
    return { type: 'resource', resource: toContents({ uri, mime }, body) };
  const data = Buffer.from(body).toString('base64');
  return { type: mime.startsWith('image/') ? 'image' : 'audio', data, mimeType: mime };
}
