import type { FileRules } from '../ports/file-rules.ts';
import { fileBytesMax, imageBytesMax, pdfBytesMax, textBytesMax } from './limits.ts';

const office = 'application/vnd.openxmlformats-officedocument';

/** Types that may be attached, by file name extension. */
const byExtension = new Map(
  Object.entries({
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    svg: 'image/svg+xml',
    pdf: 'application/pdf',
    csv: 'text/csv',
    tsv: 'text/tab-separated-values',
    txt: 'text/plain',
    log: 'text/plain',
    md: 'text/markdown',
    html: 'text/html',
    css: 'text/css',
    xml: 'application/xml',
    json: 'application/json',
    geojson: 'application/geo+json',
    topojson: 'application/json',
    ndjson: 'application/x-ndjson',
    jsonl: 'application/x-ndjson',
    yaml: 'application/yaml',
    yml: 'application/yaml',
    toml: 'application/toml',
    sql: 'application/sql',
    py: 'text/x-python',
    js: 'text/javascript',
    ts: 'text/x-typescript',
    parquet: 'application/vnd.apache.parquet',
    arrow: 'application/vnd.apache.arrow.file',
    docx: `${office}.wordprocessingml.document`,
    xlsx: `${office}.spreadsheetml.sheet`,
    pptx: `${office}.presentationml.presentation`,
  }),
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

export function isTextual(mime: string): boolean {
  const structured = /^application\/(.*\+)?(json|xml|yaml|toml|sql|x-ndjson)$/;
  return mime.startsWith('text/') || mime === 'image/svg+xml' || structured.test(mime);
}

function plainType(mime: string): string {
  return mime.split(';')[0]?.trim().toLowerCase() ?? '';
}
