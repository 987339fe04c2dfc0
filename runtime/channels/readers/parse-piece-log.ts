import { z } from 'zod';
import type { ReplyPiece } from '../protocol/reply-piece.ts';

const text = z.string();
const call = z.string();
const Piece: z.ZodType<ReplyPiece> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text }),
  z.object({ kind: z.literal('reasoning'), text }),
  z.object({ kind: z.literal('call'), call, name: z.string() }),
  z.object({ kind: z.literal('arguments'), call, text }),
  z.object({ kind: z.literal('call_end'), call }),
  z.object({ kind: z.literal('carry'), provider: z.string(), item: z.json() }),
]);

/** Reads what `PieceLog` wrote. */
export function parsePieceLog(log: string): readonly ReplyPiece[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Piece.parse(JSON.parse(line)));
}
