import { isMime } from '../files/mime.ts';
import { filePathCharsMax } from '../limits.ts';

/** What a canvas declares about itself; each field is optional. */
type CanvasFacts = {
  readonly name?: string | undefined;
  readonly mime?: string | undefined;
  readonly title?: string | undefined;
};

const quotedCharsMax = 80;
const unreadable =
  /[\p{Cc}\p{Zl}\p{Zp}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}\u{fffd}]/u;

/** What is wrong with it, or undefined. These facts become part of paths, headings and pages. */
export function canvasProblem({ name, mime, title }: CanvasFacts): string | undefined {
  const oneLine = `one line of at most ${filePathCharsMax} characters without control characters`;
  if (mime !== undefined && !isMime(mime)) {
    const quoted = JSON.stringify(mime.slice(0, quotedCharsMax));
    return `its mime ${quoted} is not of the form type/subtype, as in text/html`;
  }
  if (name !== undefined && (name.trim() === '' || !isLine(name)))
    return `its name is not ${oneLine}`;
  if (title !== undefined && !isLine(title)) return `its title is not ${oneLine}`;
  return undefined;
}

function isLine(text: string): boolean {
  return text.length <= filePathCharsMax && text.isWellFormed() && !unreadable.test(text);
}
