import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFInvalidObject,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFParser,
  PDFStream,
} from '@cantoo/pdf-lib';
import { FlawError } from './flaw.ts';
import {
  pdfObjectStreamsMax,
  pdfObjectsMax,
  pdfStreamBytesMax,
  pdfTailBytes,
  pdfUpdatesMax,
} from './limits.ts';

/** Throws FlawError, or another error if the file cannot be read. */
export async function checkPdf(bytes: Buffer, { pagesMax }: { pagesMax: number }): Promise<void> {
  checkFrame(bytes);
  const context = await PDFParser.forBytesWithOptions(bytes).parseDocument();
  if (context.trailerInfo.Encrypt !== undefined) {
    throw new FlawError('encrypted', 'is encrypted; save it without a password or restrictions');
  }
  const objects = context.enumerateIndirectObjects().map(([, object]) => object);
  checkObjects(objects);
  for (const object of objects) checkActions(object);
  const found = pageCount(context);
  if (found === 0) throw new FlawError('malformed', 'is damaged: it has no pages');
  if (found > pagesMax) {
    const message = `has ${found} pages; the limit is ${pagesMax}; split it`;
    throw new FlawError('too_many_pages', message);
  }
}

/** Checks that do not need to parse objects. */
function checkFrame(bytes: Buffer): void {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - pdfTailBytes));
  if (!/startxref\s+\d+\s+%%EOF/.test(tail)) {
    throw new FlawError('truncated', 'is incomplete: its end is missing; send the whole file');
  }
  if (occurrences(bytes, 'endobj') > pdfObjectsMax) throw tooComplex(`${pdfObjectsMax} objects`);
  // A linearized file has two markers though it was saved once.
  const isLinear = bytes.subarray(0, pdfTailBytes).includes('/Linearized');
  const updates = occurrences(bytes, 'startxref') - (isLinear ? 2 : 1);
  if (updates > pdfUpdatesMax) throw tooComplex(`${pdfUpdatesMax} updates; save it as a new file`);
}

function occurrences(bytes: Buffer, word: string): number {
  let found = 0;
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + word.length)) {
    found += 1;
  }
  return found;
}

function checkObjects(objects: readonly PDFObject[]): void {
  if (objects.length > pdfObjectsMax) throw tooComplex(`${pdfObjectsMax} objects`);
  if (objects.some((object) => object instanceof PDFInvalidObject)) {
    throw new FlawError('malformed', 'is damaged: it has an object that cannot be read');
  }
  const streams = objects.filter((object) => object instanceof PDFStream);
  const packed = streams.filter(({ dict }) => nameIn(dict, 'Type') === 'ObjStm');
  if (packed.length > pdfObjectStreamsMax)
    throw tooComplex(`${pdfObjectStreamsMax} object streams`);
  const declared = streams.reduce((sum, { dict }) => sum + numberIn(dict, 'Length'), 0);
  if (declared > pdfStreamBytesMax) throw tooComplex(`${pdfStreamBytesMax} bytes of streams`);
}

/** Rejects what a reader would run automatically: scripts and programs. */
function checkActions(object: PDFObject): void {
  const waiting = [object];
  for (let each = waiting.pop(); each; each = waiting.pop()) {
    const dict = each instanceof PDFStream ? each.dict : each;
    if (dict instanceof PDFDict) checkAction(dict);
    for (const part of partsOf(dict)) waiting.push(part);
  }
}

function checkAction(dict: PDFDict): void {
  const does = nameIn(dict, 'S');
  const isScript = does === 'JavaScript' || has(dict, 'JS') || has(dict, 'JavaScript');
  if (!isScript && does !== 'Launch') return;
  const what = isScript ? 'contains JavaScript' : 'starts a program';
  throw new FlawError('active_content', `${what}; print it to a new PDF and send that`);
}

function partsOf(object: PDFObject): readonly PDFObject[] {
  if (object instanceof PDFArray) return object.asArray();
  return object instanceof PDFDict ? object.values() : [];
}

/** Counts the leaves of the page tree, or uses the count that the tree states if it is higher: readers use either. */
function pageCount(context: PDFContext): number {
  const root = context.lookup(context.trailerInfo.Root);
  const top = root instanceof PDFDict ? context.lookup(root.get(PDFName.of('Pages'))) : undefined;
  if (!(top instanceof PDFDict)) return 0;
  const seen = new Set<PDFDict>();
  const waiting: (PDFObject | undefined)[] = [top];
  let leaves = 0;
  while (waiting.length > 0) {
    const node = context.lookup(waiting.pop());
    if (!(node instanceof PDFDict) || seen.has(node)) continue;
    seen.add(node);
    const kids = context.lookup(node.get(PDFName.of('Kids')));
    if (kids instanceof PDFArray) for (const kid of kids.asArray()) waiting.push(kid);
    else leaves += 1;
  }
  return Math.max(leaves, numberIn(top, 'Count'));
}

function nameIn(dict: PDFDict, key: string): string | undefined {
  const value = dict.get(PDFName.of(key));
  return value instanceof PDFName ? value.decodeText() : undefined;
}

function numberIn(dict: PDFDict, key: string): number {
  const value = dict.get(PDFName.of(key));
  return value instanceof PDFNumber ? value.asNumber() : 0;
}

function has(dict: PDFDict, key: string): boolean {
  return dict.get(PDFName.of(key)) !== undefined;
}

function tooComplex(most: string): FlawError {
  return new FlawError('too_complex', `has more than ${most}`);
}
