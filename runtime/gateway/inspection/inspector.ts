import type { FileRules } from '../ports/file-rules.ts';
import { bytesOf, type Content, headOf } from './content.ts';
import { bytesMaxOf, claimedKinds, isAccepted, isForeign, isTextual } from './file-types.ts';
import { type Flaw, FlawFound } from './flaw.ts';
import { checkImage } from './image-check.ts';
import { headBytes, packageBytesMax, pdfPagesMax } from './limits.ts';
import { TextCheck, type TextEncoding } from './text-check.ts';
import { CheckThreads } from './threads.ts';

/** What its sender says of a file. */
export type Claim = { readonly name: string; readonly mime: string };
export type Inspected = { readonly mime: string; readonly encoding?: TextEncoding };

type Options = { readonly signal: AbortSignal };
type Held = { readonly claim: Claim; readonly content: Content; readonly head: Uint8Array };

/** Says what a file is, by its content: the sender's claim can only agree. Owns the threads that look into files. */
export class Inspector implements AsyncDisposable {
  readonly #rules: FileRules;
  readonly #threads = new CheckThreads();

  constructor(rules: FileRules = {}) {
    this.#rules = rules;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#threads[Symbol.asyncDispose]();
  }

  async inspect(claim: Claim, content: Content, options: Options): Promise<Inspected | Flaw> {
    try {
      const flaw = this.judgeSize(claim, content.size);
      if (flaw) return flaw;
      const held = { claim, content, head: await headOf(content, headBytes) };
      if (starts(held.head, '%PDF-')) return await this.#pdf(held, options);
      if (starts(held.head, 'PK\x03\x04')) return await this.#package(held, options);
      return beginsAsText(held) ? await this.#text(held) : await this.#other(held, options);
    } catch (error) {
      if (error instanceof FlawFound) return error.flaw;
      throw error;
    }
  }

  /** What can be refused before a byte has come: nothing, or more than a file of the claimed type may have. */
  judgeSize(claim: Claim, size: number): Flaw | undefined {
    if (size === 0) return { reason: 'empty', says: 'is empty' };
    return this.#tooLarge(claimedKinds(claim)[0] ?? '', size);
  }

  async #text({ claim, content, head }: Held): Promise<Inspected> {
    const mime = textKind(claim);
    this.#assertSize(mime, content.size);
    const check = new TextCheck(head);
    for await (const piece of content.read()) if (!check.add(piece)) throw notText();
    if (!check.end()) throw notText();
    const { encoding } = check;
    if (mime === 'image/svg+xml' && !/<svg[\s>]/.test(new TextDecoder(encoding).decode(head))) {
      throw new FlawFound('type_mismatch', 'is text, but no SVG image');
    }
    return { mime, encoding };
  }

  async #pdf({ claim, content }: Held, { signal }: Options): Promise<Inspected> {
    const mime = 'application/pdf';
    agree(claim, mime);
    this.#assertSize(mime, content.size);
    const pagesMax = this.#rules.pdfPages ?? pdfPagesMax;
    const bytes = await bytesOf(content);
    await this.#ask({ kind: 'pdf', bytes, pagesMax }, { signal });
    return { mime };
  }

  async #package({ claim, content }: Held, { signal }: Options): Promise<Inspected> {
    this.#assertSize('', content.size);
    if (content.size > packageBytesMax) {
      throw new FlawFound(
        'too_large',
        `has ${content.size} bytes; a package may have ${packageBytesMax}`,
      );
    }
    const mime = await this.#ask({ kind: 'package', bytes: await bytesOf(content) }, { signal });
    agree(claim, mime ?? '');
    return { mime: mime ?? '' };
  }

  async #other({ claim, content, head }: Held, { signal }: Options): Promise<Inspected> {
    const type = await this.#ask({ kind: 'type', bytes: head }, { signal });
    // An animated PNG is one.
    const mime = type === 'image/apng' ? 'image/png' : type;
    if (mime === undefined || !isAccepted(mime)) throw unaccepted(claim, mime);
    agree(claim, mime);
    this.#assertSize(mime, content.size);
    if (mime.startsWith('image/')) {
      const flaw = checkImage(await bytesOf(content), mime);
      if (flaw) throw new FlawFound(flaw.reason, flaw.says);
    } else if (!(await endsAsItBegan(content, head))) {
      throw new FlawFound('truncated', 'is cut off: its end is missing; send the whole file');
    }
    return { mime };
  }

  async #ask(job: Parameters<CheckThreads['check']>[0], options: Options) {
    const result = await this.#threads.check(job, options);
    if ('mime' in result) return result.mime;
    throw new FlawFound(result.flaw.reason, result.flaw.says);
  }

  #assertSize(mime: string, size: number): void {
    const flaw = this.#tooLarge(mime, size);
    if (flaw) throw new FlawFound(flaw.reason, flaw.says);
  }

  #tooLarge(mime: string, size: number): Flaw | undefined {
    const bytesMax = bytesMaxOf(mime, this.#rules);
    if (size <= bytesMax) return undefined;
    const says = `has ${size} bytes; ${mime || 'a file'} may have ${bytesMax}`;
    return { reason: 'too_large', says };
  }
}

function starts(head: Uint8Array, signature: string): boolean {
  return Buffer.from(head.subarray(0, signature.length)).equals(Buffer.from(signature, 'latin1'));
}

/** As far as the beginning says; its last character may be cut. */
function beginsAsText({ head }: Held): boolean {
  return new TextCheck(head).add(head);
}

/** Every claim must be one for text; the most exact is taken. */
function textKind(claim: Claim): string {
  const claims = claimedKinds(claim);
  const other = claims.find((mime) => !isTextual(mime));
  if (other !== undefined) throw new FlawFound('type_mismatch', `is text, not ${other}`);
  const [mime] = claims;
  if (mime !== undefined) return mime;
  const what = isForeign(claim.mime) ? claim.mime.slice(0, 100) : 'no type';
  const says = `is text, declared as ${what}; send it as text/plain or with an extension that is accepted`;
  throw new FlawFound('unsupported_type', says);
}

function agree(claim: Claim, mime: string): void {
  const claims = claimedKinds(claim);
  const other = claims.find((each) => each !== mime);
  const foreign = claims.length === 0 && isForeign(claim.mime) ? claim.mime : undefined;
  const said = other ?? foreign?.slice(0, 100);
  if (said === undefined) return;
  throw new FlawFound('type_mismatch', `is ${mime}, not ${said}; correct its name and type`);
}

function unaccepted(claim: Claim, mime: string | undefined): FlawFound {
  const [said] = claimedKinds(claim);
  if (mime === 'application/x-cfb' && said?.includes('officedocument')) {
    const says =
      'is encrypted, or in the format of Office before 2007; save it as .docx, .xlsx or .pptx without a password';
    return new FlawFound('encrypted', says);
  }
  if (mime === undefined && said !== undefined && isTextual(said)) return notText();
  const found = mime ?? 'of no known type';
  if (said !== undefined) return new FlawFound('type_mismatch', `is ${found}, not ${said}`);
  return new FlawFound('unsupported_type', `is ${found}, which is not accepted`);
}

function notText(): FlawFound {
  return new FlawFound('not_text', 'is neither UTF-8 nor UTF-16 text; save it as UTF-8');
}

/** Tables end with the bytes they begin with: `PAR1`, `ARROW1`. */
async function endsAsItBegan(content: Content, head: Uint8Array): Promise<boolean> {
  const mark = Buffer.from(head.subarray(0, starts(head, 'ARROW1') ? 6 : 4));
  let tail = Buffer.alloc(0);
  for await (const piece of content.read()) {
    tail = Buffer.concat([tail, Buffer.from(piece).subarray(-mark.length)]).subarray(-mark.length);
  }
  return content.size >= 2 * mark.length && tail.equals(mark);
}
