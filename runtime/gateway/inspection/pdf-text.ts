import { readPdfPages } from '../../tools/files/pdf-pages.ts';
import { pdfTextCharsMax, pdfTextPagesMax } from './limits.ts';

/** The text of a PDF with the number of each page; undefined if it has none, such as a scan. Throws if it cannot be read. */
export async function pdfText(bytes: Uint8Array): Promise<string | undefined> {
  const limits = { pagesMax: pdfTextPagesMax, charsMax: pdfTextCharsMax };
  const { texts, count } = await readPdfPages(bytes, limits);
  if (texts.every((text) => text === '')) return undefined;
  const pages = texts.map((text, at) => `--- page ${at + 1} ---\n${text}\n`).join('\n');
  const rest =
    texts.length < count ? `\n--- pages ${texts.length + 1} to ${count} left out ---\n` : '';
  return `${pages.slice(0, pdfTextCharsMax).toWellFormed()}${rest}`;
}
