import { fileBytesMax, imageBytesMax, pdfBytesMax } from './limits.ts';
import type { FileRules } from './ports.ts';

const office = 'application/vnd.openxmlformats-officedocument';

/** What may be attached, by file name extension. */
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

/** First bytes of formats that are handed to viewers and models as what they are. */
const signatures: readonly { readonly mime: string; readonly starts: string }[] = [
  { mime: 'image/png', starts: '\x89PNG\r\n\x1a\n' },
  { mime: 'image/jpeg', starts: '\xff\xd8\xff' },
  { mime: 'image/gif', starts: 'GIF8' },
  { mime: 'application/pdf', starts: '%PDF-' },
];

/**
 * What the bytes are. A signature outweighs what the sender declares, and what has a signature cannot be declared
 * without it. Undefined: nothing we take.
 */
export function kindOfFile(file: {
  name: string;
  mime: string;
  bytes: Uint8Array;
}): string | undefined {
  const found = sniff(file.bytes);
  const declared = declaredKind(file);
  if (found !== undefined) return found;
  const needsSignature =
    declared === 'image/webp' || signatures.some(({ mime }) => mime === declared);
  return needsSignature ? undefined : declared;
}

export function bytesMaxOf(mime: string, { imageBytes, pdfBytes }: FileRules = {}): number {
  if (mime.startsWith('image/')) return imageBytes ?? imageBytesMax;
  return mime === 'application/pdf' ? (pdfBytes ?? pdfBytesMax) : fileBytesMax;
}

export function isTextual(mime: string): boolean {
  const structured = /^application\/(.*\+)?(json|xml|yaml|toml|sql|x-ndjson)$/;
  return mime.startsWith('text/') || mime === 'image/svg+xml' || structured.test(mime);
}

/** What a file is said to be. Undefined: nothing we take, unless its bytes say otherwise. */
export function declaredKind({ name, mime }: { name: string; mime: string }): string | undefined {
  const plain = mime.split(';')[0]?.trim().toLowerCase() ?? '';
  if (supported.has(plain) || plain.startsWith('text/')) return plain;
  const extension = /\.([a-z0-9]+)$/.exec(name.toLowerCase())?.[1] ?? '';
  return byExtension.get(extension);
}

function sniff(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp';
  return signatures.find(({ starts }) => start.startsWith(starts))?.mime;
}
