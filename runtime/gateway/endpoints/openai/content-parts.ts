import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import type { ChatAttachment } from '../../../client/protocol/request-schemas.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { attachmentFromUrl } from '../data-url.ts';
import type { ContentPart } from './chat-request.ts';
import { attachmentOfFile } from './stored-files.ts';

type Place = { readonly parts: HttpParts; readonly place: string };

/** Text and files of the message of a user. */
export async function promptOf(
  context: Context<Env>,
  content: string | readonly ContentPart[],
  { parts, place }: Place,
): Promise<{ readonly text: string; readonly attachments: readonly ChatAttachment[] }> {
  if (typeof content === 'string') return { text: content, attachments: [] };
  const texts: string[] = [];
  const attachments: ChatAttachment[] = [];
  for (const [index, part] of content.entries()) {
    const at = { parts, place: `${place}[${index}]` };
    if (part.type === 'text' || part.type === 'input_text') texts.push(part.text);
    else if (part.type === 'image_url') {
      const where = { place: `${at.place}.image_url.url` };
      attachments.push(attachmentFromUrl(part.image_url.url, where));
    } else if (part.type === 'file') attachments.push(await fileAttachment(context, part, at));
    else throw new Refusal('invalid_input', `${at.place}: a user cannot refuse`);
  }
  return { text: texts.join('\n'), attachments };
}

async function fileAttachment(
  context: Context<Env>,
  { file: { file_data, file_id, filename } }: Extract<ContentPart, { type: 'file' }>,
  { parts, place }: Place,
): Promise<ChatAttachment> {
  const name = filename ?? undefined;
  if (typeof file_id === 'string') {
    return attachmentOfFile(context, parts, { id: file_id, name, place: `${place}.file.file_id` });
  }
  if (typeof file_data !== 'string') {
    throw new Refusal('invalid_input', `${place}.file: file_data or file_id is required`);
  }
  // Some clients send the base64 text without the head of a data: URL.
  const url = file_data.startsWith('data:')
    ? file_data
    : `data:application/octet-stream;base64,${file_data}`;
  return attachmentFromUrl(url, { name, place: `${place}.file.file_data` });
}
