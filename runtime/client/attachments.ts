import { Refusal } from '../base/refusal.ts';
import type { Http } from './http.ts';
import { inlineBytesMax } from './limits.ts';
import type { Attachment, SendOptions } from './types.ts';

export type SentAttachment = { readonly name: string; readonly mime: string } & (
  | { readonly data: Uint8Array }
  | { readonly upload_id: string }
);

/** Small files travel inside the message; large ones go ahead, so that a message repeated is small. */
export async function toSent(
  http: Http,
  { attachments = [], onUpload, signal }: SendOptions,
): Promise<readonly SentAttachment[]> {
  const sent: SentAttachment[] = [];
  for (const attachment of attachments) {
    const { name, mime, bytes } = await read(attachment);
    const total = bytes.byteLength;
    onUpload?.({ name, sent: 0, total });
    const inline = total <= inlineBytesMax;
    const place = inline ? { data: bytes } : await upload(http, { name, mime, bytes }, signal);
    sent.push({ name, mime, ...place });
    onUpload?.({ name, sent: total, total });
  }
  return sent;
}

async function upload(
  http: Http,
  { name, mime, bytes }: { name: string; mime: string; bytes: Uint8Array<ArrayBuffer> },
  signal: AbortSignal | undefined,
): Promise<{ upload_id: string }> {
  const body = new FormData();
  body.append('file', new Blob([bytes], { type: mime }), name);
  const init = { method: 'POST', body, ...(signal && { signal }) };
  const kept: unknown = await (await http('/api/uploads', init)).json();
  const id = typeof kept === 'object' && kept !== null && 'upload_id' in kept ? kept.upload_id : '';
  if (typeof id !== 'string' || id === '')
    throw new Refusal('upload_failed', `${name} was not kept`);
  return { upload_id: id };
}

async function read(
  attachment: Attachment,
): Promise<{ name: string; mime: string; bytes: Uint8Array<ArrayBuffer> }> {
  if ('arrayBuffer' in attachment) {
    const bytes = new Uint8Array(await attachment.arrayBuffer());
    return { name: attachment.name, mime: attachment.type, bytes };
  }
  const { name, mime, data } = attachment;
  const body = data instanceof Uint8Array ? new Uint8Array(data) : data;
  return { name, mime, bytes: new Uint8Array(await new Response(body).arrayBuffer()) };
}
