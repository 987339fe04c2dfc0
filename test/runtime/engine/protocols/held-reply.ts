import { parseScript, type Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { toPieces } from '../../../../runtime/adapters/models/scripted/reply-pieces.ts';
import type { Protocol, ReplyPiece } from '../../../../runtime/channels/protocol/reply-piece.ts';

/** The pieces of a reply, which pauses at one of its characters. */
export function heldAt(reply: Reply, protocol: Protocol, share: number): Reply {
  const pieces = piecesOf(reply, protocol);
  let left = Math.floor(share * placesIn(reply, protocol));
  const marked = pieces.map((piece) => {
    const at = left;
    left -= lengthOf(piece) + 1;
    if (!('text' in piece) || at < 0 || at > piece.text.length) return piece;
    return { ...piece, text: `${piece.text.slice(0, at)}{{hold}}${piece.text.slice(at)}` };
  });
  const isMarked = marked.some((piece) => 'text' in piece && piece.text.includes('{{hold}}'));
  const end = { kind: 'text' as const, text: '{{hold}}' };
  return { pieces: isMarked ? marked : [...pieces, end], hold: 'here' };
}

function lengthOf(piece: ReplyPiece): number {
  return 'text' in piece ? piece.text.length : 0;
}

/** Number of places where a reply may pause in this protocol: before each character and behind each piece. */
export function placesIn(reply: Reply, protocol: Protocol): number {
  return piecesOf(reply, protocol).reduce((sum, piece) => sum + lengthOf(piece) + 1, 0);
}

function piecesOf(reply: Reply, protocol: Protocol): readonly ReplyPiece[] {
  const [parsed] = parseScript([reply]).replies;
  return parsed ? toPieces(parsed, protocol) : [];
}
