import { Refusal } from '../base/refusal.ts';
import type { BlobStore } from '../timeline/blobs.ts';
import type { BlobRef } from '../timeline/block.ts';
import type { Sender } from '../timeline/store.ts';
import { bytesMaxOf, isTextual, kindOfFile } from './file-kind.ts';
import { fileNameCharsMax, previewCharsMax } from './limits.ts';
import type { FileRules } from './ports.ts';

export type Checked = { readonly name: string; readonly mime: string; readonly bytes: Uint8Array };

/** A file whose bytes are durable. `preview` is its beginning, where it is textual. */
export type Hosted = {
  readonly name: string;
  readonly mime: string;
  readonly blob: BlobRef;
  readonly preview?: string;
};

/** Refusal `attachment_refused` when the file is empty, too large, or nothing we take. */
export function checkFile(file: Checked, rules?: FileRules): Checked {
  const { name, bytes } = file;
  if (bytes.byteLength === 0) throw refused(`${name} is empty`);
  const mime = kindOfFile(file);
  if (mime === undefined)
    throw refused(`${name} is not a kind of file that is taken (${file.mime})`);
  const bytesMax = bytesMaxOf(mime, rules);
  if (bytes.byteLength > bytesMax) {
    throw refused(`${name} has ${bytes.byteLength} bytes; ${mime} may have ${bytesMax}`);
  }
  return { name, mime, bytes };
}

type Hosting = {
  readonly sender: Sender;
  readonly blobs: BlobStore;
  readonly files?: FileRules;
  readonly signal: AbortSignal;
};

/** Refusal `attachment_refused` when something bad is in it. */
export async function assertClean({ name, bytes }: Checked, { files, signal }: Hosting) {
  const found = await files?.scan?.(bytes, { signal });
  if (found !== undefined) throw refused(`${name} is infected: ${found}`);
}

/** One that is clean. */
export async function hostFile(
  { name, mime, bytes }: Checked,
  { sender, blobs, signal }: Hosting,
): Promise<Hosted> {
  const blob = await blobs.put(sender.tenant, bytes, { signal });
  if (!isTextual(mime)) return { name, mime, blob };
  // Four bytes are the longest character; the last one may be cut, which the decoder marks.
  const text = new TextDecoder().decode(bytes.subarray(0, previewCharsMax * 4));
  return { name, mime, blob, preview: text.slice(0, previewCharsMax).toWellFormed() };
}

/** A name that is safe in a path, a header and a folder of any system. */
export function safeName(name: string): string {
  const base = name.normalize('NFC').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = base.replace(/[\p{C}<>:"|?*]/gu, '').replace(/^[.\s]+|[.\s]+$/g, '');
  if (plain === '') return 'file';
  if (plain.length <= fileNameCharsMax) return plain;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  return `${plain.slice(0, fileNameCharsMax - extension.length).toWellFormed()}${extension}`;
}

export function refused(message: string): Refusal {
  return new Refusal('attachment_refused', message);
}
