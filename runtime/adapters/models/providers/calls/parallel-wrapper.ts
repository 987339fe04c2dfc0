import { isJsonObject, parseJson } from '../../../../base/json.ts';
import type { ReplyPiece } from '../../../../channels/protocol/reply-piece.ts';

/** A tool that was not offered: models of OpenAI sometimes write several calls as one call of it. */
const wrapper = /^(?:multi_tool_use[._])?parallel$/;

/** Takes calls out of a call that wraps them. All other pieces pass through as they are. */
export class ParallelWrapper {
  readonly #names: ReadonlySet<string>;
  #held: ReplyPiece[] = [];

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  *take(pieces: Iterable<ReplyPiece>): Generator<ReplyPiece> {
    for (const piece of pieces) {
      if (this.#held.length === 0 && !this.#isWrapper(piece)) {
        yield piece;
        continue;
      }
      this.#held.push(piece);
      if (piece.kind === 'call_end') yield* this.#unwrapped();
    }
  }

  /** The reply is over: a wrapper that did not end stays what it is. */
  rest(): readonly ReplyPiece[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  #isWrapper(piece: ReplyPiece): boolean {
    return piece.kind === 'call' && wrapper.test(piece.name) && !this.#names.has(piece.name);
  }

  #unwrapped(): readonly ReplyPiece[] {
    const held = this.rest();
    const text = held.map((piece) => (piece.kind === 'arguments' ? piece.text : '')).join('');
    const written: unknown = parseJson(text);
    const uses: unknown = isJsonObject(written) ? written['tool_uses'] : undefined;
    if (!Array.isArray(uses) || uses.length === 0 || !uses.every(isUse)) return held;
    const [first] = held;
    const key = first?.kind === 'call' ? first.call : 'parallel';
    return uses.flatMap((use, index) => toCall(use, `${key}_${index + 1}`));
  }
}

type Use = { readonly recipient_name: string; readonly parameters?: unknown };

function isUse(use: unknown): use is Use {
  return isJsonObject(use) && typeof use['recipient_name'] === 'string';
}

function toCall({ recipient_name, parameters = {} }: Use, call: string): readonly ReplyPiece[] {
  return [
    { kind: 'call', call, name: recipient_name.replace(/^functions\./, '') },
    { kind: 'arguments', call, text: JSON.stringify(parameters) },
    { kind: 'call_end', call },
  ];
}
