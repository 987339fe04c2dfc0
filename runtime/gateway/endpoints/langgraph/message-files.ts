import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import type { ChatAttachment } from '../../../client/protocol/request-schemas.ts';
import { attachmentFromUrl, fileName } from '../data-url.ts';

const text = z.string().optional();
const label = z.string().max(1_000).optional();

/**
 * A content block of LangChain. A file is a standard block of its version 1 or 0 (`data` or `base64`, `url`), or has the form of
 * OpenAI (`image_url`, `file`) or Anthropic (`source`), which models of LangChain accept as well.
 */
export const contentBlock = z.looseObject({
  ...{ type: z.string(), text, data: text, base64: text, url: text },
  ...{ mimeType: text, mime_type: text, filename: label },
  metadata: z.looseObject({ filename: label, name: label }).nullish().catch(undefined),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
  file: z.looseObject({ file_data: text, filename: label }).optional(),
  source: z.looseObject({ data: text, url: text, media_type: text }).optional().catch(undefined),
});
export type ContentBlock = z.infer<typeof contentBlock>;

const fileTypes = ['image', 'audio', 'video', 'file', 'document', 'image_url', 'text-plain'];

/** The file of a block, if it is a file. Refusal `invalid_input`: a file that does not bring its content. */
export function filesOf(block: ContentBlock): readonly ChatAttachment[] {
  const [name, mime] = [nameIn(block), mimeIn(block)];
  const data = block.data ?? block.base64 ?? block.source?.data;
  if (data !== undefined) return [{ name: name ?? fileName(mime), mime, data }];
  const url = urlIn(block);
  if (url !== undefined) return [attachmentFromUrl(url, { name, mime, place: block.type })];
  if (!fileTypes.includes(block.type) || block.text !== undefined) return [];
  const hint = 'send the file as base64 in data, or as a data: URL';
  throw new Refusal('invalid_input', `input.messages: content of type ${block.type}: ${hint}`);
}

function urlIn({ image_url: image, url, file, source }: ContentBlock): string | undefined {
  const address = typeof image === 'string' ? image : image?.url;
  return address ?? url ?? file?.file_data ?? source?.url;
}

function nameIn({ filename, metadata, file }: ContentBlock): string | undefined {
  return filename ?? metadata?.filename ?? metadata?.name ?? file?.filename;
}

function mimeIn({ mimeType, mime_type, source }: ContentBlock): string {
  return mimeType ?? mime_type ?? source?.media_type ?? '';
}
