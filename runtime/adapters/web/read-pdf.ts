import { pageTextCharsMax, pdfPagesReadMax, titleCharsMax } from './limits.ts';
import type { ReadablePage } from './read-html.ts';

/** The text of a PDF, page by page. Empty for pictures of pages. Throws for a damaged or encrypted file. */
export async function readPdf(bytes: Uint8Array): Promise<ReadablePage> {
  // Loaded only where a PDF is read: it takes longer to load than most of them to read.
  const { getDocumentProxy, getMeta } = await import('unpdf');
  const document = await getDocumentProxy(bytes);
  const pages: string[] = [];
  let chars = 0;
  for (let n = 1; n <= Math.min(document.numPages, pdfPagesReadMax); n += 1) {
    const { items } = await (await document.getPage(n)).getTextContent();
    const text = items
      .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      .join('')
      .trim();
    chars += text.length;
    if (text !== '') pages.push(text);
    if (chars >= pageTextCharsMax) break;
  }
  const { info } = await getMeta(document);
  const { Title: named, Author: by } = info as {
    readonly Title?: unknown;
    readonly Author?: unknown;
  };
  const author = lineOf(by);
  return {
    title: lineOf(named).slice(0, titleCharsMax),
    text: pages.join('\n\n').toWellFormed().slice(0, pageTextCharsMax),
    ...(author !== '' && { author }),
  };
}

function lineOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : '';
}
