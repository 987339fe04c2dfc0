import type { Clock } from '../../base/clock.ts';
import { isRefusal, Refusal } from '../../base/refusal.ts';
import type { Page, WebPages } from '../../tools/ports/web.ts';
import { type Answer, guardedGet } from './guarded-get.ts';
import { htmlBytesMax, pageBytesMax, pageTextCharsMax } from './limits.ts';
import { readInThread } from './read-in-thread.ts';
import { Robots } from './robots.ts';

type Settings = {
  readonly clock: Clock;
  /** Hosts that may be read although their address is not public. */
  readonly privateHosts: readonly string[];
};

/** Reads pages of the public web, within what their sites allow. */
export function createPages({ clock, privateHosts }: Settings): WebPages {
  const isAllowed = (host: string) => privateHosts.includes(host);
  const robots = new Robots(clock, isAllowed);
  return {
    read: async (address, { signal }) => {
      const check = (url: URL) => robots.check(url, signal);
      const answer = await guardedGet(address, {
        bytesMax: pageBytesMax,
        isAllowed,
        check,
        signal,
      });
      if (answer.status !== 200) {
        throw new Refusal(
          'page_failed',
          `${answer.url.host} answered with status ${answer.status}`,
        );
      }
      return await pageOf(answer, signal);
    },
  };
}

async function pageOf({ url, header, bytes }: Answer, signal: AbortSignal): Promise<Page> {
  const type = header('content-type') ?? 'application/octet-stream';
  const [mime = ''] = type.split(';');
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/i.test(mime.trim());
  const isText = /^text\/|[/+](json|xml|yaml)$/i.test(mime.trim());
  const name = decodeName(url);
  if (isPdf(mime, bytes)) return await pdfOf({ url, name, bytes }, signal);
  if (!isHtml && !isText) return { kind: 'file', url: url.href, title: name, name, mime, bytes };
  if (isHtml && bytes.length > htmlBytesMax) {
    throw new Refusal('too_large', `${url.host}: the page has more than ${htmlBytesMax} bytes`);
  }
  const text = decode(bytes, type);
  const { href } = url;
  if (isHtml)
    return { kind: 'text', url: href, ...(await readInThread({ html: text, url: href }, signal)) };
  return { kind: 'text', url: url.href, title: name, text: text.slice(0, pageTextCharsMax) };
}

function isPdf(mime: string, bytes: Buffer): boolean {
  return /^application\/(x-)?pdf$/i.test(mime.trim()) || bytes.subarray(0, 5).equals(pdfMark);
}

const pdfMark = Buffer.from('%PDF-');

/** A file with its text. Without it, if the PDF has none, is encrypted, or takes too long to read. */
async function pdfOf(
  { url, name, bytes }: { url: URL; name: string; bytes: Buffer },
  signal: AbortSignal,
): Promise<Page> {
  const file = { kind: 'file', url: url.href, name, mime: 'application/pdf', bytes } as const;
  try {
    const copy = new Uint8Array(bytes);
    const { title, text, author } = await readInThread({ pdf: copy, url: url.href }, signal);
    const facts = { title: title || name, ...(author === undefined ? {} : { author }) };
    return { ...file, ...facts, ...(text === '' ? {} : { text }) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ...file, title: name };
  }
}

/** In the charset that the server or the page declares; unknown ones as UTF-8. */
function decode(bytes: Buffer, type: string): string {
  const declared = /charset=["']?([\w-]+)/i;
  const head = bytes.subarray(0, 2_048).toString('latin1');
  const charset = declared.exec(type)?.[1] ?? declared.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString();
  }
}

function decodeName(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  const name = last.replaceAll(/[^\w.-]+/g, '-').slice(-100);
  return name === '' ? url.host : name;
}
