import { isTextual, mimeOf } from '../../tools/files/mime.ts';
import type { FileRules } from '../ports/file-rules.ts';
import { fileBytesMax, imageBytesMax, pdfBytesMax, textBytesMax } from './limits.ts';

/** Types that may be attached, by file name extension. */
const byExtension = new Map(
  [
    ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'svg', 'pdf', 'docx', 'xlsx', 'pptx'],
    ...['csv', 'tsv', 'txt', 'log', 'md', 'html', 'css', 'sql', 'py', 'js', 'ts'],
    ...['xml', 'json', 'geojson', 'topojson', 'ndjson', 'jsonl', 'yaml', 'yml', 'toml'],
    ...['parquet', 'arrow'],
  ].map((extension) => [extension, mimeOf(`file.${extension}`)]),
);

const supported = new Set(byExtension.values());

/** The types that the declared type and the file name claim, as far as they are accepted types. */
export function declaredTypes({ name, mime }: { name: string; mime: string }): readonly string[] {
  const plain = plainType(mime);
  const extension = /\.([a-z0-9]+)$/.exec(name.toLowerCase())?.[1] ?? '';
  const claims = [isAccepted(plain) ? plain : undefined, byExtension.get(extension)];
  return claims.filter((claim) => claim !== undefined);
}

/** Whether the declared type is specific, but not an accepted one. */
export function isUnsupportedType(mime: string): boolean {
  const plain = plainType(mime);
  return !['', 'application/octet-stream'].includes(plain) && !isAccepted(plain);
}

export function isAccepted(mime: string): boolean {
  return supported.has(mime) || /^text\/[\w.+-]+$/.test(mime);
}

export function bytesMaxOf(mime: string, rules: FileRules = {}): number {
  if (mime === 'application/pdf') return rules.pdfBytes ?? pdfBytesMax;
  if (isTextual(mime)) return rules.textBytes ?? textBytesMax;
  if (mime.startsWith('image/')) return rules.imageBytes ?? imageBytesMax;
  return rules.fileBytes ?? fileBytesMax;
}

function plainType(mime: string): string {
  return mime.split(';')[0]?.trim().toLowerCase() ?? '';
}
