import { Refusal } from '../base/refusal.ts';
import type { ChatAttachment } from '../client/wire.ts';
import type { BlobStore } from '../timeline/blobs.ts';
import type { Sender } from '../timeline/store.ts';
import { bytesMaxOf, isTextual, kindOfFile } from './file-kind.ts';
import { fileNameCharsMax, messageBytesMax, previewCharsMax } from './limits.ts';
import type { Hosted, Uploads } from './uploads.ts';

type Checked = { readonly name: string; readonly mime: string; readonly bytes: Uint8Array };
type Taken = Checked | Hosted;

/**
 * Every file of a message, checked before the first is kept: Refusal `attachment_refused` names the file and the
 * limit, and nothing of the message remains.
 */
export async function hostAttachments(
  attachments: readonly ChatAttachment[],
  context: { sender: Sender; blobs: BlobStore; uploads: Uploads; signal: AbortSignal },
): Promise<readonly Hosted[]> {
  const { sender, uploads } = context;
  const names = distinct(attachments.map(({ name }) => safeName(name)));
  const taken = attachments.map((each, at): Taken => {
    const name = names[at] ?? each.name;
    if (each.upload_id !== undefined) return { ...uploads.take(each.upload_id, sender), name };
    return checkFile({ name, mime: each.mime, bytes: toBytes(each.data ?? '') });
  });
  const total = taken.reduce((sum, each) => sum + sizeOf(each), 0);
  if (total > messageBytesMax) {
    throw refused(`all files together have ${total} bytes; a message takes ${messageBytesMax}`);
  }
  const hosted: Hosted[] = [];
  for (const each of taken) hosted.push('blob' in each ? each : await hostFile(each, context));
  return hosted;
}

/** Refusal `attachment_refused` when the file is empty, too large, or nothing we take. */
export function checkFile(file: Checked): Checked {
  const { name, bytes } = file;
  if (bytes.byteLength === 0) throw refused(`${name} is empty`);
  const mime = kindOfFile(file);
  if (mime === undefined)
    throw refused(`${name} is not a kind of file that is taken (${file.mime})`);
  const bytesMax = bytesMaxOf(mime);
  if (bytes.byteLength > bytesMax) {
    throw refused(`${name} has ${bytes.byteLength} bytes; ${mime} may have ${bytesMax}`);
  }
  return { name, mime, bytes };
}

export async function hostFile(
  { name, mime, bytes }: Checked,
  { sender, blobs, signal }: { sender: Sender; blobs: BlobStore; signal: AbortSignal },
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

/** Names of one message are told apart by number: `a.csv`, `a-2.csv`. */
function distinct(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let number = 2; used.has(free); number += 1) {
      free = name.replace(/(\.[^.]*)?$/, `-${number}$1`);
    }
    used.add(free);
    return free;
  });
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : data;
}

function sizeOf(file: Taken): number {
  return 'blob' in file ? file.blob.size : file.bytes.byteLength;
}

function refused(message: string): Refusal {
  return new Refusal('attachment_refused', message);
}
