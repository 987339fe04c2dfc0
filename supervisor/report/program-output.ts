import { StringDecoder } from 'node:string_decoder';
import { cutText } from '../../runtime/tools/text/cut-text.ts';
import { outputCharsMax, outputEndChars } from './limits.ts';

/** The output of a program on one stream. */
export interface ProgramOutput {
  /** Resolves when the stream has ended and the text is complete. */
  readonly ended: Promise<void>;
  /** Number of all characters. */
  readonly chars: number;
  /** The first `outputCharsMax` of them. */
  readonly kept: string;
  /** The last characters, even if others were dropped before them. */
  tail(chars: number): string;
}

/**
 * Reads a stream to its end. The first `outputCharsMax` characters are emitted as they arrive; after
 * that the stream is only drained, so a flood costs the program's time and none of our memory. `leftOut`: characters that the
 * backend has omitted from the stream so far.
 */
export function watchOutput(
  stream: AsyncIterable<Uint8Array>,
  tell: (text: string) => void,
  leftOut = () => 0,
): ProgramOutput {
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  let keptChars = 0;
  let chars = 0;
  let recent = '';
  const take = (text: string) => {
    if (text === '') return;
    chars += text.length;
    recent += text;
    if (recent.length > 2 * outputEndChars) recent = recent.slice(-outputEndChars);
    const part = leftOut() > 0 ? '' : cutText(text, outputCharsMax - keptChars);
    keptChars = part.length < text.length ? outputCharsMax : keptChars + part.length;
    if (part === '') return;
    parts.push(part);
    tell(part);
  };
  const read = async () => {
    for await (const chunk of stream) take(decoder.write(chunk));
    take(decoder.end());
  };
  return {
    ended: read().catch(ignoreReset),
    get chars() {
      return chars + leftOut();
    },
    get kept() {
      return parts.join('').toWellFormed();
    },
    tail: (count) => tailOf(recent, count),
  };
}

/** The output of a killed program may end with a reset. */
function ignoreReset(error: unknown): void {
  if (!(error instanceof Error && 'code' in error)) throw error;
}

function tailOf(text: string, chars: number): string {
  return text.slice(-chars).toWellFormed();
}
