import type { Attachment, SendOptions } from '../api/types.ts';
import { inlineBytesMax } from '../protocol/limits.ts';
import type { Http } from './http.ts';
import type { UploadedFile } from './upload.ts';

export type MessageAttachment = { readonly name: string; readonly mime: string } & (
  | { readonly data: Uint8Array }
  | { readonly upload_id: string }
);

/** Small files are sent inside the message. Large files are uploaded first, so that a repeated message is small. */
export async function sendAttachments(
  http: Http,
  { attachments = [], onUpload, signal }: SendOptions,
): Promise<readonly MessageAttachment[]> {
  const sent: MessageAttachment[] = [];
  for (const attachment of attachments) {
    const { name, mime, bytes } = await read(attachment);
    const total = bytes.byteLength;
    onUpload?.({ name, sent: 0, total });
    if (total <= inlineBytesMax) {
      sent.push({ name, mime, data: bytes });
      onUpload?.({ name, sent: total, total });
    } else {
      const progress = (bytesSent: number) => onUpload?.({ name, sent: bytesSent, total });
      const { upload } = await import('./upload.ts');
      const upload_id = await upload(http, { name, mime, bytes }, { progress, signal });
      sent.push({ name, mime, upload_id });
    }
  }
  return sent;
}

async function read(attachment: Attachment): Promise<UploadedFile> {
  if ('arrayBuffer' in attachment) {
    const bytes = new Uint8Array(await attachment.arrayBuffer());
    return { name: attachment.name, mime: attachment.type, bytes };
  }
  const { name, mime, data } = attachment;
  const body = data instanceof Uint8Array ? new Uint8Array(data) : data;
  return { name, mime, bytes: new Uint8Array(await new Response(body).arrayBuffer()) };
}
