import { mimeCharsMax } from '../limits.ts';

const byExtension: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  log: 'text/plain',
  md: 'text/markdown',
  mermaid: 'text/vnd.mermaid',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  py: 'text/x-python',
  sql: 'application/sql',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  toml: 'application/toml',
  ts: 'text/typescript',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

const textual = /^text\/|[/+](json|xml|yaml|toml|sql|javascript|jsonl)$/;

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

/** Whether bytes of this type are text. */
export function isTextual(mime: string): boolean {
  return textual.test(mime.split(';')[0]?.trim() ?? '');
}
