import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { parsePieceLog } from '../../channels/readers/parse-piece-log.ts';
import type { Block } from '../../timeline/block.ts';
import type { Seq } from '../../timeline/ids.ts';
import { type OpenLog, textOf } from './open-log.ts';

/** The raw reply of a model call. */
export type RawReply = {
  /** The `model.call`. */
  readonly call: Block;
  readonly text: string;
};

/** The raw reply of the latest model call at or before a block. Refusal `not_found`. */
export async function replyAt(log: OpenLog, last: Seq): Promise<RawReply> {
  const call = log.blocks.findLast(
    ({ seq, type, blob }) => seq <= last && type === 'model.call' && blob,
  );
  if (!call?.blob)
    throw new Refusal('not_found', `no reply is recorded at or before block ${last}`);
  return { call, text: await textOf(log, call.blob.hash) };
}

/** The reply of the round that was opened at this block. Refusal `not_found`: it has none, or no such round exists. */
export async function replyOfRound(log: OpenLog, seq: Seq): Promise<RawReply> {
  const from = log.blocks.findIndex((block) => block.seq === seq && block.type === 'round.open');
  if (from < 0) throw new Refusal('not_found', `no round was opened at block ${seq}`);
  const after = log.blocks.slice(from + 1);
  const end = after.findIndex(({ type }) => type === 'round.open' || type === 'turn.close');
  const call = after
    .slice(0, end < 0 ? after.length : end)
    .find((block) => block.type === 'model.call' && block.blob !== undefined);
  if (!call?.blob)
    throw new Refusal('not_found', `the round at block ${seq} has no recorded reply`);
  return { call, text: await textOf(log, call.blob.hash) };
}

/**
 * A stretch of a raw reply. `frame`: the tags of channels. `outside`: text in no channel. Others: the name of the channel,
 * or the kind of a piece for a reply that was stored as pieces.
 */
export type ReplyStretch = {
  readonly kind: 'frame' | 'outside' | 'channel' | 'piece';
  readonly name: string;
  readonly text: string;
};

/** The reply in stretches; joined, they are the reply. */
export function stretchesOf({ call, text }: RawReply): readonly ReplyStretch[] {
  const data: JsonObject = isJsonObject(call.data) ? call.data : {};
  if (data['pieces'] === true) {
    return parsePieceLog(text).map((piece) => ({
      kind: 'piece',
      name: piece.kind,
      text: `${JSON.stringify(piece)}\n`,
    }));
  }
  return inChannels(text);
}

const opening = /<channel:([\w-]+)([^<>]*)>/g;

function inChannels(text: string): readonly ReplyStretch[] {
  const found: ReplyStretch[] = [];
  const add = (kind: ReplyStretch['kind'], name: string, part: string) => {
    if (part !== '') found.push({ kind, name, text: part });
  };
  let at = 0;
  while (at < text.length) {
    opening.lastIndex = at;
    const tag = opening.exec(text);
    if (!tag) break;
    const [open, name = '', attributes = ''] = tag;
    add('outside', '', text.slice(at, tag.index));
    add('frame', name, open);
    const from = tag.index + open.length;
    const id = /\bid=("[^"]*"|'[^']*')/.exec(attributes)?.[0];
    const close = id === undefined ? `</channel:${name}` : `</channel:${name} ${id}`;
    const end = text.indexOf(close, from);
    const until = end < 0 ? text.length : end;
    add('channel', name, text.slice(from, until));
    const tagEnd = end < 0 ? -1 : text.indexOf('>', end);
    at = tagEnd < 0 ? text.length : tagEnd + 1;
    add('frame', name, text.slice(until, at));
  }
  add('outside', '', text.slice(at));
  return found;
}
