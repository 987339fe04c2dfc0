import { type Json, wellFormed } from '../../base/json.ts';
import type { CallId } from '../../timeline/ids.ts';
import { resultChunkChars, retCharsMax } from '../limits.ts';
import type { TurnServices } from '../ports/call-services.ts';
import type { ToolResult } from '../ports/tool.ts';
import { cleanJson } from '../text/clean-json.ts';
import { cutText, grouped } from '../text/cut-text.ts';
import { jsonPieces } from '../text/json-pieces.ts';
import { shapeOf } from '../text/json-shape.ts';

type CallParts = {
  /** `tc_…` */
  readonly call: CallId;
  readonly services: Pick<TurnServices, 'writeFile'>;
  /** Hides the values of secrets. */
  readonly mask: (text: string) => string;
};

/**
 * The result with a clean value. A value over the limit is written to a file of this turn, and the result holds the file
 * as `ctx.files.write` returns it, with `shape` and `note`. Refusal `too_large` if it exceeds the limit of a file.
 */
export async function toPassableResult(result: ToolResult, place: CallParts): Promise<ToolResult> {
  if (!result.ok && result.ret === undefined) return result;
  const cleaned = cleanJson(result.ret, place.mask);
  switch (cleaned.kind) {
    case 'json':
      return { ...result, ret: cleaned.json };
    case 'large':
      return { ...result, ret: await writeToFile(result.ret ?? null, place) };
    case 'unfit':
      return {
        ok: false,
        error: { code: 'tool_failed', message: cleaned.because, retryable: false },
      };
  }
}

/** A string as it is, anything else as JSON, written in pieces to save memory. */
async function writeToFile(value: Json, { call, services, mask }: CallParts): Promise<Json> {
  const clean = (text: string) => wellFormed(mask(text));
  const isText = typeof value === 'string';
  const file = await services.writeFile({
    filepath: `outputs/results/${call}.${isText ? 'txt' : 'json'}`,
    mime: isText ? 'text/plain' : 'application/json',
    bytes: inChunks(isText ? textPieces(clean(value)) : jsonPieces(value, clean)),
    description: 'a result too large to be passed',
    visibility: 'internal',
  });
  return {
    ...file,
    shape: shapeOf(value),
    note: `The result has more than ${grouped(retCharsMax)} characters: it is in this file, which ctx_tools.fetch_file opens in a program.`,
  };
}

function* textPieces(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; ) {
    const piece = cutText(text.slice(at, at + resultChunkChars), resultChunkChars - 1);
    yield piece;
    at += piece.length;
  }
}

async function* inChunks(pieces: Iterable<string>): AsyncGenerator<Uint8Array, void> {
  let held = '';
  for (const piece of pieces) {
    held += piece;
    if (held.length < resultChunkChars) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}
