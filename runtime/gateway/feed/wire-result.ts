import type { JsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { beginningIn } from '../../tools/results/preview.ts';
import { previewJson, previewText, withoutUndefined } from './wire-json.ts';

/** The outcome of a call, with its result or the beginning of it. */
export function toWireResult(block: Block, outcome: JsonObject): JsonObject {
  const { ret, ...rest } = outcome;
  const shown = ret === undefined ? storedResult(block, outcome) : { ret: previewJson(ret) };
  return withoutUndefined({ ...rest, ...shown, path: block.path });
}

/** A result that is too large for the log: its block has the text that the model read. */
function storedResult({ text }: Block, { ret_size: chars }: JsonObject): JsonObject {
  if (chars === undefined || text === undefined) return {};
  return { ret: { truncated: true, chars, preview: previewText(beginningIn(text)) } };
}
