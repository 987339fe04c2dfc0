import { mimeCharsMax } from '../limits.ts';

/** The one table of media types: of attachments, files of programs, tools and widgets. */
const byExtension: Readonly<Record<string, string>> = {
  arrow: 'application/vnd.apache.arrow.file',
  css: 'text/css',
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  geojson: 'application/geo+json',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/x-icon',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  log: 'text/plain',
  map: 'application/json',
  md: 'text/markdown',
  mermaid: 'text/vnd.mermaid',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  py: 'text/x-python',
  sql: 'application/sql',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  toml: 'application/toml',
  topojson: 'application/json',
  ts: 'text/x-typescript',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  wasm: 'application/wasm',
  wav: 'audio/wav',
  webp: 'image/webp',
  woff2: 'font/woff2',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

const textual = /^text\/|[/+](json|xml|yaml|toml|sql|javascript|jsonl|x-ndjson)$/;

/** By the extension of a file name; unknown extensions are `application/octet-stream`. */
export function mimeOf(filename: string): string {
  const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(byExtension, extension)
    ? (byExtension[extension] ?? 'application/octet-stream')
    : 'application/octet-stream';
}

/** Exactly `type/subtype`: it is written into headers and prompts, where a line break would be an injection. */
export function isMime(mime: string): boolean {
  return mime.length <= mimeCharsMax && /^[\w.+-]+\/[\w.+-]+$/.test(mime);
}

/** Whether bytes of this type are text. Logs may name a type that the table no longer has: `application/jsonl`. */
export function isTextual(mime: string): boolean {
  return textual.test(mime.split(';')[0]?.trim() ?? '');
}
