import { Refusal } from '../../base/refusal.ts';
import type { ChatAttachment } from '../../client/protocol/request-schemas.ts';

const endings: ReadonlyMap<string, string> = new Map([
  ['text/plain', 'txt'],
  ['image/jpeg', 'jpg'],
  ['image/svg+xml', 'svg'],
  ['text/markdown', 'md'],
]);

/**
 * A file that a protocol carries as a `data:` URL, as an attachment. Servers fetch no addresses of clients: another URL
 * is the Refusal `invalid_input`. `place` names the field in its message.
 */
export function attachmentFromUrl(
  url: string,
  { name, mime, place }: { name?: string | undefined; mime?: string | undefined; place: string },
): ChatAttachment {
  const match = /^data:([^,;]{0,200})((?:;[^,;]{0,200}){0,8}),/i.exec(url);
  if (!match) throw new Refusal('invalid_input', `${place}: send the file as a data: URL`);
  const [head, declared = '', parameters = ''] = match;
  const body = url.slice(head.length);
  const type = declared || mime || 'text/plain';
  const isBase64 = /;base64$/i.test(parameters);
  const data = isBase64 ? body.replaceAll('-', '+').replaceAll('_', '/') : toBase64(body, place);
  return { name: name || fileName(type), mime: type, data };
}

/** A name for a file that came without one. */
export function fileName(mime: string): string {
  const [, subtype = 'bin'] = mime.split('/');
  return `file.${endings.get(mime) ?? subtype.replace(/[^a-z0-9].*$/i, '')}`;
}

function toBase64(encoded: string, place: string): string {
  try {
    return Buffer.from(decodeURIComponent(encoded)).toString('base64');
  } catch {
    throw new Refusal('invalid_input', `${place}: the data: URL is not valid`);
  }
}
