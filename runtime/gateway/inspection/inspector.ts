import { isTextual } from '../../tools/files/mime.ts';
import type { FileRules } from '../ports/file-rules.ts';
import { bytesOf, type Content, headOf } from './content.ts';
import { bytesMaxOf, declaredTypes, isAccepted, isUnsupportedType } from './file-types.ts';
import { type Flaw, FlawError } from './flaw.ts';
import { checkImage } from './image-check.ts';
import { headBytes, packageBytesMax, pdfPagesMax } from './limits.ts';
import { TextCheck, type TextEncoding } from './text-check.ts';
import { CheckThreads } from './threads.ts';

/** The name and type that the sender declares. */
export type DeclaredFile = { readonly name: string; readonly mime: string };
export type InspectedFile = {
  readonly mime: string;
  readonly encoding?: TextEncoding;
  /** The text of a PDF. */
  readonly text?: string;
};

type Options = { readonly signal: AbortSignal };
type OpenFile = {
  readonly claim: DeclaredFile;
  readonly content: Content;
  readonly head: Uint8Array;
};

/**
 * Detects the type of a file by its content; the declared type and name must match. Owns the threads that check files.
 */
export class Inspector implements AsyncDisposable {
  readonly #rules: FileRules;
  readonly #threads = new CheckThreads();

  constructor(rules: FileRules = {}) {
    this.#rules = rules;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#threads[Symbol.asyncDispose]();
  }

  async inspect(
    claim: DeclaredFile,
    content: Content,
    options: Options,
  ): Promise<InspectedFile | Flaw> {
    try {
      const flaw = this.checkSize(claim, content.size);
      if (flaw) return flaw;
      const held = { claim, content, head: await headOf(content, headBytes) };
      if (starts(held.head, '%PDF-')) return await this.#pdf(held, options);
      if (starts(held.head, 'PK\x03\x04')) return await this.#package(held, options);
      return beginsAsText(held) ? await this.#text(held) : await this.#other(held, options);
    } catch (error) {
      if (error instanceof FlawError) return error.flaw;
      throw error;
    }
  }

  /** Checks what is known before the first byte arrives: the file is empty, or larger than its declared type allows. */
  checkSize(claim: DeclaredFile, size: number): Flaw | undefined {
    if (size === 0) return { reason: 'empty', message: 'is empty' };
    return this.#tooLarge(declaredTypes(claim)[0] ?? '', size);
  }

  async #text({ claim, content, head }: OpenFile): Promise<InspectedFile> {
    const mime = textKind(claim);
    this.#assertSize(mime, content.size);
    const check = new TextCheck(head);
    for await (const piece of content.read()) if (!check.add(piece)) throw notText();
    if (!check.end()) throw notText();
    const { encoding } = check;
    if (mime === 'image/svg+xml' && !/<svg[\s>]/.test(new TextDecoder(encoding).decode(head))) {
      throw new FlawError('type_mismatch', 'is text, but not an SVG image');
    }
    return { mime, encoding };
  }

  async #pdf({ claim, content }: OpenFile, { signal }: Options): Promise<InspectedFile> {
    const mime = 'application/pdf';
    assertAgrees(claim, mime);
    this.#assertSize(mime, content.size);
    const pagesMax = this.#rules.pdfPages ?? pdfPagesMax;
    const bytes = await bytesOf(content);
    await this.#runCheck({ kind: 'pdf', bytes, pagesMax }, { signal });
    // A PDF whose text cannot be read is a file all the same.
    const found = await this.#threads.check({ kind: 'pdf-text', bytes }, { signal });
    const text = 'flaw' in found ? undefined : found.text;
    return { mime, ...(text !== undefined && { text }) };
  }

  async #package({ claim, content }: OpenFile, { signal }: Options): Promise<InspectedFile> {
    this.#assertSize('', content.size);
    if (content.size > packageBytesMax) {
      throw new FlawError(
        'too_large',
        `has ${content.size} bytes; the limit for a package is ${packageBytesMax}`,
      );
    }
    const mime = await this.#runCheck(
      { kind: 'package', bytes: await bytesOf(content) },
      { signal },
    );
    assertAgrees(claim, mime ?? '');
    return { mime: mime ?? '' };
  }

  async #other({ claim, content, head }: OpenFile, { signal }: Options): Promise<InspectedFile> {
    const type = await this.#runCheck({ kind: 'type', bytes: head }, { signal });
    // An animated PNG is a PNG.
    const mime = type === 'image/apng' ? 'image/png' : type;
    if (mime === undefined || !isAccepted(mime)) throw unsupported(claim, mime);
    assertAgrees(claim, mime);
    this.#assertSize(mime, content.size);
    if (mime.startsWith('image/')) {
      const flaw = checkImage(await bytesOf(content), mime);
      if (flaw) throw new FlawError(flaw.reason, flaw.message);
    } else if (!(await endsAsItBegan(content, head))) {
      throw new FlawError('truncated', 'is incomplete: its end is missing; send the whole file');
    }
    return { mime };
  }

  async #runCheck(job: Parameters<CheckThreads['check']>[0], options: Options) {
    const result = await this.#threads.check(job, options);
    if ('mime' in result) return result.mime;
    throw new FlawError(result.flaw.reason, result.flaw.message);
  }

  #assertSize(mime: string, size: number): void {
    const flaw = this.#tooLarge(mime, size);
    if (flaw) throw new FlawError(flaw.reason, flaw.message);
  }

  #tooLarge(mime: string, size: number): Flaw | undefined {
    const bytesMax = bytesMaxOf(mime, this.#rules);
    if (size <= bytesMax) return undefined;
    const message = `has ${size} bytes; the limit for ${mime || 'a file'} is ${bytesMax}`;
    return { reason: 'too_large', message };
  }
}

function starts(head: Uint8Array, signature: string): boolean {
  return Buffer.from(head.subarray(0, signature.length)).equals(Buffer.from(signature, 'latin1'));
}

/** Checks the first bytes only; the last character may be cut. */
function beginsAsText({ head }: OpenFile): boolean {
  return new TextCheck(head).add(head);
}

/** Every declared type must be a text type; the most specific one is used. */
function textKind(claim: DeclaredFile): string {
  const claims = declaredTypes(claim);
  const other = claims.find((mime) => !isTextual(mime));
  if (other !== undefined) throw new FlawError('type_mismatch', `is text, not ${other}`);
  const [mime] = claims;
  if (mime !== undefined) return mime;
  const what = isUnsupportedType(claim.mime) ? claim.mime.slice(0, 100) : 'no type';
  const message = `is text declared as ${what}; send it as text/plain or with a supported file extension`;
  throw new FlawError('unsupported_type', message);
}

function assertAgrees(claim: DeclaredFile, mime: string): void {
  const claims = declaredTypes(claim);
  const other = claims.find((each) => each !== mime);
  const foreign = claims.length === 0 && isUnsupportedType(claim.mime) ? claim.mime : undefined;
  const declared = other ?? foreign?.slice(0, 100);
  if (declared === undefined) return;
  throw new FlawError('type_mismatch', `is ${mime}, not ${declared}; correct its name and type`);
}

function unsupported(claim: DeclaredFile, mime: string | undefined): FlawError {
  const [declared] = declaredTypes(claim);
  if (mime === 'application/x-cfb' && declared?.includes('officedocument')) {
    const message =
      'is encrypted, or in the Office format before 2007; save it as .docx, .xlsx or .pptx without a password';
    return new FlawError('encrypted', message);
  }
  if (mime === undefined && declared !== undefined && isTextual(declared)) return notText();
  const found = mime ?? 'of an unknown type';
  if (declared !== undefined) return new FlawError('type_mismatch', `is ${found}, not ${declared}`);
  return new FlawError('unsupported_type', `is ${found}, which is not accepted`);
}

function notText(): FlawError {
  return new FlawError('not_text', 'is neither UTF-8 nor UTF-16 text; save it as UTF-8');
}

/** Parquet and Arrow files end with the bytes they begin with: `PAR1`, `ARROW1`. */
async function endsAsItBegan(content: Content, head: Uint8Array): Promise<boolean> {
  const mark = Buffer.from(head.subarray(0, starts(head, 'ARROW1') ? 6 : 4));
  let tail = Buffer.alloc(0);
  for await (const piece of content.read()) {
    tail = Buffer.concat([tail, Buffer.from(piece).subarray(-mark.length)]).subarray(-mark.length);
  }
  return content.size >= 2 * mark.length && tail.equals(mark);
}
