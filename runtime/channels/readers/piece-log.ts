import type { ReplyPiece } from '../protocol/reply-piece.ts';

/**
 * The pieces of one reply as text: one JSON line per piece. Adjacent pieces of one kind are joined, so the text does not
 * depend on how a provider split them.
 */
export class PieceLog {
  readonly #pieces: ReplyPiece[] = [];

  push(piece: ReplyPiece): void {
    if ('text' in piece && piece.text === '') return;
    const joined = join(this.#pieces.at(-1), piece);
    if (joined === undefined) this.#pieces.push(piece);
    else this.#pieces[this.#pieces.length - 1] = joined;
  }

  /** Undefined if the reply was not plain text. */
  get plainText(): string | undefined {
    const [first, ...more] = this.#pieces;
    if (first === undefined) return '';
    return first.kind === 'text' && more.length === 0 ? first.text : undefined;
  }

  get text(): string {
    return this.#pieces.map((piece) => `${JSON.stringify(piece)}\n`).join('');
  }
}

function join(last: ReplyPiece | undefined, piece: ReplyPiece): ReplyPiece | undefined {
  if (last?.kind === 'arguments' && piece.kind === 'arguments') {
    return last.call === piece.call ? { ...last, text: last.text + piece.text } : undefined;
  }
  const isText = last?.kind === 'text' || last?.kind === 'reasoning';
  if (!isText || piece.kind !== last.kind) return undefined;
  return { ...last, text: last.text + piece.text };
}
