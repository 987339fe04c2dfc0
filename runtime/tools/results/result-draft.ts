import type { Json } from '../../base/json.ts';
import type { BlobRef, Draft } from '../../timeline/block.ts';
import type { CallId, TurnId } from '../../timeline/ids.ts';
import { type BlockPath, paths } from '../../timeline/paths.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import { shownRounds } from '../../timeline/render/shown-rounds.ts';
import {
  inlineRetCharsMax,
  keepResultMs,
  spentResultChars,
  turnResultsCharsMax,
} from '../limits.ts';
import type { CallContext, ToolOutcome, ToolSpec } from '../ports/tool.ts';
import { shapeOf } from '../text/json-shape.ts';

type ShownResult = Pick<ToolOutcome, 'result' | 'attached' | 'programCalls'> & {
  readonly text: string;
};
type ResultLocation = { readonly tenant: string; readonly turn: TurnId; readonly call: CallId };

export function resultPath(turn: TurnId, call: CallId): BlockPath {
  return paths.result(turn, call);
}

/** The single result block of a call. A `ret` of more than 12,000 characters of JSON is stored whole as a blob. */
export async function toResultDraft(
  place: ResultLocation,
  { result, text, attached = [], programCalls }: ShownResult,
  blobs: BlobStore,
): Promise<Draft> {
  const kept = result.ret === undefined ? {} : await storeRet(result.ret, place.tenant, blobs);
  const error = result.ok ? {} : { error: { ...result.error } };
  const more = {
    ...(attached.length > 0 ? { attached } : {}),
    ...(programCalls === undefined ? {} : { program_calls: programCalls }),
  };
  return {
    turn: place.turn,
    type: 'react.tool.result',
    author: 'tool',
    call: place.call,
    path: resultPath(place.turn, place.call),
    text,
    data: { ok: result.ok, ...kept.data, ...error, ...more },
    ...(kept.blob ? { blob: kept.blob, mime: 'application/json' } : {}),
  };
}

type StoredRet = { readonly data?: { readonly [key: string]: Json }; readonly blob?: BlobRef };

/** Uses its own signal: the result is recorded even if the call was stopped. */
async function storeRet(ret: Json, tenant: string, blobs: BlobStore): Promise<StoredRet> {
  const json = JSON.stringify(ret);
  if (json.length <= inlineRetCharsMax) return { data: { ret } };
  const signal = AbortSignal.timeout(keepResultMs);
  const blob = await blobs.put(tenant, new TextEncoder().encode(json), { signal });
  return { data: { ret_size: json.length, shape: shapeOf(ret) }, blob };
}

/**
 * Characters shown of the next result: the limit of its tool, until the results of the turn in the prompt use up their
 * shared limit. Control tools keep their own limits, since they are needed to read results that were cut.
 */
export function resultCharsLeft(
  { kind, resultLimit }: Pick<ToolSpec, 'kind' | 'resultLimit'>,
  { view }: Pick<CallContext, 'view'>,
): number {
  const { openTurn, hidden } = view;
  if (kind === 'control' || !openTurn) return resultLimit;
  const results = shownRounds(view, openTurn).flatMap(({ calls }) =>
    calls.flatMap(({ result }) => result ?? []),
  );
  const chars = results
    .filter(({ path }) => path === undefined || !hidden.has(path))
    .reduce((sum, { text = '' }) => sum + text.length, 0);
  return Math.min(resultLimit, Math.max(spentResultChars, turnResultsCharsMax - chars));
}
