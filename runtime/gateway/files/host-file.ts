import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import { isTextual } from '../../tools/files/mime.ts';
import { type Content, headOf } from '../inspection/content.ts';
import type { Flaw } from '../inspection/flaw.ts';
import type { Inspector } from '../inspection/inspector.ts';
import type { FileRules } from '../ports/file-rules.ts';
import { fileNameCharsMax, previewCharsMax } from './limits.ts';

export type SentFile = { readonly name: string; readonly mime: string; readonly content: Content };

/** A checked file; `encoding` is set if it is text, `text` if it is a PDF with text. */
export type CheckedFile = SentFile & { readonly encoding?: string; readonly text?: string };

const blobRef = z.object({ hash: z.string(), size: z.int() });
/** A stored file. `preview` is its beginning, if it is text; of a PDF, the beginning of its `text`. */
export const hostedFile = z.object({
  name: z.string(),
  mime: z.string(),
  blob: blobRef,
  preview: z.string().exactOptional(),
  text: blobRef.exactOptional(),
});
export type HostedFile = Readonly<z.infer<typeof hostedFile>>;

type Hosting = {
  readonly sender: Sender;
  readonly blobs: BlobStore;
  readonly inspector: Inspector;
  readonly files?: FileRules;
  readonly signal: AbortSignal;
};

/** Refusal `attachment_refused` with what is wrong with the file. */
export async function checkFile(
  { name, mime, content }: SentFile,
  { inspector, signal }: Pick<Hosting, 'inspector' | 'signal'>,
): Promise<CheckedFile> {
  const found = await inspector.inspect({ name, mime }, content, { signal });
  if ('reason' in found) throw attachmentRefused(name, found);
  return { name, content, ...found };
}

/** Refusal `attachment_refused` if the scanner finds something. */
export async function assertClean(
  { name, content }: CheckedFile,
  { files, signal }: Pick<Hosting, 'files' | 'signal'>,
): Promise<void> {
  const found = await files?.scan?.(content.read(), { size: content.size, signal });
  if (found !== undefined)
    throw attachmentRefused(name, { reason: 'infected', message: `is infected: ${found}` });
}

/** Stores a file that passed the scan. */
export async function hostFile(
  { name, mime, content, encoding = 'utf-8', text: own }: CheckedFile,
  { sender, blobs, signal }: Pick<Hosting, 'sender' | 'blobs' | 'signal'>,
): Promise<HostedFile> {
  const blob = await blobs.put(sender.tenant, content.bytes ?? content.read(), { signal });
  if (own !== undefined) {
    const text = await blobs.put(sender.tenant, new TextEncoder().encode(own), { signal });
    return { name, mime, blob, text, preview: own.slice(0, previewCharsMax).toWellFormed() };
  }
  if (!isTextual(mime)) return { name, mime, blob };
  // A character has at most four bytes; the last one may be cut, which the decoder replaces.
  const text = new TextDecoder(encoding).decode(await headOf(content, previewCharsMax * 4));
  return { name, mime, blob, preview: text.slice(0, previewCharsMax).toWellFormed() };
}

/** A name that is safe in a path, a header and a folder on any system. */
export function safeName(name: string): string {
  const base = name.normalize('NFC').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = base.replace(/[\p{C}<>:"|?*]/gu, '').replace(/^[.\s]+|[.\s]+$/g, '');
  if (plain === '') return 'file';
  if (plain.length <= fileNameCharsMax) return plain;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  return `${plain.slice(0, fileNameCharsMax - extension.length).toWellFormed()}${extension}`;
}

export function attachmentRefused(file: string, { reason, message }: Flaw): Refusal {
  return new Refusal('attachment_refused', `${file} ${message}`, { facts: { file, reason } });
}
