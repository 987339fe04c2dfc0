import { readPdfPages } from '../../tools/files/pdf-pages.ts';
import { pageTextCharsMax, pdfPagesReadMax, titleCharsMax } from './limits.ts';
import type { ReadablePage } from './read-html.ts';

/** The text of a PDF, page by page. Empty for pictures of pages. Throws for a damaged or encrypted file. */
export async function readPdf(bytes: Uint8Array): Promise<ReadablePage> {
  const limits = { pagesMax: pdfPagesReadMax, charsMax: pageTextCharsMax };
  const { texts, title, author } = await readPdfPages(bytes, limits);
  const text = texts.filter((page) => page !== '').join('\n\n');
  return {
    title: title.slice(0, titleCharsMax),
    text: text.toWellFormed().slice(0, pageTextCharsMax),
    ...(author !== '' && { author }),
  };
}
