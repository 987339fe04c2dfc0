import { imageTokens } from '../../../timeline/tokens.ts';
import { pixelsOf } from '../../files/image-size.ts';
import type { ResolvedPath } from '../../ports/call-services.ts';
import type { Attachment } from '../../ports/tool.ts';
import { attachedPixelsMax, pdfBytesPerPage, pdfTokensPerPage } from './limits.ts';

/** What one read may still attach to the prompt as images and documents. */
export type AttachBudget = { bytes: number; tokens: number };

type AttachmentVerdict =
  | { readonly ok: true; readonly attachment: Attachment }
  | { readonly ok: false; readonly because: string };

const images: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Whether bytes of this type can be attached for a model. */
export function isAttachable(mime: string): boolean {
  return images.has(mime) || mime === 'application/pdf';
}

/** Attaches an image or document whole or not at all. Deducts it from the budget. */
export function checkAttachment(
  { path, mime, blob }: ResolvedPath,
  bytes: Uint8Array,
  left: AttachBudget,
): AttachmentVerdict {
  const tokens = blob && (images.has(mime) ? tokensOfImage(bytes, mime) : tokensOfPdf(bytes));
  if (blob === undefined || tokens === undefined) {
    return { ok: false, because: `its bytes are not ${mime}` };
  }
  if (typeof tokens === 'string') return { ok: false, because: tokens };
  if (blob.size > left.bytes) return { ok: false, because: 'too many bytes to be attached' };
  if (tokens > left.tokens) return { ok: false, because: 'too many tokens to be attached' };
  left.bytes -= blob.size;
  left.tokens -= tokens;
  return { ok: true, attachment: { path, mime, blob, tokens } };
}

function tokensOfImage(bytes: Uint8Array, mime: string): number | string | undefined {
  const pixels = pixelsOf(bytes, mime);
  if (pixels === undefined) return undefined;
  if (Math.max(pixels.width, pixels.height) > attachedPixelsMax) {
    return `more than ${attachedPixelsMax} pixels a side`;
  }
  return imageTokens({ hash: '', size: bytes.length }, pixels);
}

/** Pages are counted by their objects, or estimated by size if the objects are compressed. */
function tokensOfPdf(bytes: Uint8Array): number | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith('%PDF-')) return undefined;
  const counted = text.match(/\/Type\s*\/Page(?![s\w])/g)?.length ?? 0;
  const pages = counted > 0 ? counted : Math.ceil(bytes.length / pdfBytesPerPage);
  return pages * pdfTokensPerPage;
}
