import type { Protocol, ReplyPiece } from '../../../channels/protocol/reply-piece.ts';
import { toNativePieces } from './native-pieces.ts';
import { toObjectText } from './object-text.ts';
import { toProtocolText } from './protocol-text.ts';
import type { ParsedReply } from './reply.ts';

/** Marks where a reply pauses: at this mark in its text, or else after the thinking, or else at the start. */
export const holdMark = '{{hold}}';

/** The pieces that a model would stream for this reply. */
export function toPieces(reply: ParsedReply, protocol: Protocol): readonly ReplyPiece[] {
  const pieces = written(reply, protocol);
  const isMarked = pieces.some((piece) => 'text' in piece && piece.text.includes(holdMark));
  return reply.hold === undefined || isMarked ? pieces : withHold(pieces);
}

function written(reply: ParsedReply, protocol: Protocol): readonly ReplyPiece[] {
  if (reply.pieces !== undefined) return reply.pieces;
  const isText = reply.raw !== undefined || reply.role !== 'decision';
  if (protocol === 'native-tools' && !isText) return toNativePieces(reply);
  const isObject = (protocol === 'json' || protocol === 'plain') && !isText;
  return [{ kind: 'text', text: isObject ? toObjectText(reply) : toProtocolText(reply) }];
}

function withHold(pieces: readonly ReplyPiece[]): readonly ReplyPiece[] {
  const [first, ...rest] = pieces;
  if (first?.kind !== 'text') return [{ kind: 'text', text: holdMark }, ...pieces];
  const { text } = first;
  const at = Math.max(0, text.search(/<\/channel:thinking\b|(?<="thinking":"[^"]*)"/));
  return [{ kind: 'text', text: text.slice(0, at) + holdMark + text.slice(at) }, ...rest];
}
