type PdfPages = {
  /** Texts of the first pages; empty for a picture of a page. */
  readonly texts: readonly string[];
  /** Pages of the whole document. */
  readonly count: number;
  readonly title: string;
  readonly author: string;
};

/** The texts of a PDF, page by page, up to these limits. Throws for a damaged or encrypted file. */
export async function readPdfPages(
  bytes: Uint8Array,
  { pagesMax, charsMax }: { pagesMax: number; charsMax: number },
): Promise<PdfPages> {
  // Loaded only where a PDF is read: it takes longer to load than most of them to read.
  const { getDocumentProxy, getMeta } = await import('unpdf');
  const document = await getDocumentProxy(bytes);
  const texts: string[] = [];
  for (let chars = 0; texts.length < Math.min(document.numPages, pagesMax) && chars < charsMax; ) {
    const { items } = await (await document.getPage(texts.length + 1)).getTextContent();
    const text = items
      .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      .join('')
      .trim();
    chars += text.length;
    texts.push(text.toWellFormed());
  }
  const { info } = await getMeta(document);
  const { Title, Author } = info as { readonly Title?: unknown; readonly Author?: unknown };
  return { texts, count: document.numPages, title: lineOf(Title), author: lineOf(Author) };
}

function lineOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() : '';
}
