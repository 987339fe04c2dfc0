import type { ReadEvent } from '../../../../runtime/channels/decision/read-event.ts';
import { declaredChannels } from '../../../../runtime/channels/protocol/channel.ts';
import type { Protocol, ReplyPiece } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { createToolNames } from '../../../../runtime/channels/protocol/tool-names.ts';
import { createPieceReader } from '../../../../runtime/channels/readers/piece-reader.ts';
import { readReply } from '../../../../runtime/channels/reply/read-reply.ts';
import {
  createReplyCollector,
  type ParsedReply,
} from '../../../../runtime/channels/reply/reply.ts';
import { rules } from '../reply/replies.ts';

const names = createToolNames([
  'web.search',
  'react.write',
  'react.plan',
  'exec.python',
  'crm.sync',
  'odd.tool',
]);

export const text = (said: string): ReplyPiece => ({ kind: 'text', text: said });
export const reasoning = (said: string): ReplyPiece => ({ kind: 'reasoning', text: said });

/** A whole call, its arguments in the given parts. */
export function call(name: string, ...parts: readonly string[]): readonly ReplyPiece[] {
  const id = `call ${name} ${parts.join('').length}`;
  return [
    { kind: 'call', call: id, name },
    ...parts.map((part) => ({ kind: 'arguments' as const, call: id, text: part })),
    { kind: 'call_end', call: id },
  ];
}

export function eventsOf(
  protocol: Protocol,
  pieces: readonly ReplyPiece[],
  { prose = false } = {},
): readonly ReadEvent[] {
  const reader = createPieceReader({
    protocol,
    channels: declaredChannels,
    prose,
    names,
    isExec: (tool) => tool === 'exec.python',
  });
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

export function packetOf(
  protocol: Protocol,
  pieces: readonly ReplyPiece[],
  options?: { prose: boolean },
): ParsedReply {
  const collector = createReplyCollector();
  collector.push(eventsOf(protocol, pieces, options));
  return collector.reply();
}

export function readPieces(
  protocol: Protocol,
  pieces: readonly ReplyPiece[],
  more: Partial<Parameters<typeof readReply>[1]> = {},
) {
  return readReply(packetOf(protocol, pieces), { ...rules, protocol, ...more });
}
