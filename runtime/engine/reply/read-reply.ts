import type { ResolveSource } from '../../channels/citations/citations.ts';
import type { ActionIdentity } from '../../channels/decision/action-identity.ts';
import { type ChannelSpec, declaredChannels } from '../../channels/protocol/channel.ts';
import type { ReplyPiece } from '../../channels/protocol/reply-piece.ts';
import { PieceLog } from '../../channels/readers/piece-log.ts';
import { createPieceReader, type PieceReaderOptions } from '../../channels/readers/piece-reader.ts';
import type { ReplyRules } from '../../channels/reply/read-reply.ts';
import { createReleaseGates } from '../../channels/reply/release-gates.ts';
import { createReplyCollector } from '../../channels/reply/reply.ts';
import { generationCharsMax } from '../limits.ts';
import type { RoundPlace } from '../live/live-stream.ts';
import type { Publisher } from '../live/publisher.ts';
import { StreamRouter } from '../live/stream-router.ts';
import type { CarryPiece, Reply } from './generated-reply.ts';
import { proseMayAnswer } from './prose-answer.ts';

/** Reads one reply: the same pieces give the same reply, however their texts are split. */
export interface ReplyReader {
  /** The rest cannot be used: the generation may be stopped. */
  readonly cannotBecomeLegal: boolean;
  /** The reply has reached its maximum length: further text is dropped. */
  readonly isFull: boolean;
  push(piece: ReplyPiece): void;
  end(): Reply;
}

type ReaderOptions = {
  /** Beyond the built-in channels. */
  readonly channels: readonly { readonly id: string; readonly format: ChannelSpec['format'] }[];
  readonly rules: ReplyRules;
  readonly names: PieceReaderOptions['names'];
  /** Decides whether plain text may be the answer. */
  readonly context: Parameters<typeof proseMayAnswer>[0];
  readonly place: RoundPlace;
  readonly publisher: Publisher;
  readonly resolve: ResolveSource;
  /** Called when it is known what a decision requests, before it is complete. */
  readonly identified: (identity: ActionIdentity) => void;
};

export function createReplyReader(reading: ReaderOptions): ReplyReader {
  const { channels, rules, names, context, publisher, ...shown } = reading;
  const { protocol = 'channels' } = rules;
  const more = channels.map(({ id, format }) => ({ name: id, format }));
  const reader = createPieceReader({
    protocol,
    channels: [...declaredChannels, ...more],
    prose: proseMayAnswer(context),
    names,
    isExec: (tool) => rules.traitsOf(tool)?.kind === 'exec',
  });
  const collector = createReplyCollector();
  const speaker = new StreamRouter(publisher, { ...shown, gates: createReleaseGates(rules) });
  const log = new PieceLog();
  const carry: CarryPiece[] = [];
  let chars = 0;
  const take = (events: ReturnType<typeof reader.push>) => {
    collector.push(events);
    for (const event of events) speaker.take(event);
  };
  return {
    get cannotBecomeLegal() {
      return speaker.cannotBecomeLegal;
    },
    get isFull() {
      return chars >= generationCharsMax;
    },
    push(piece) {
      const taken = cutTo(piece, generationCharsMax - chars);
      if ('text' in taken) chars += taken.text.length;
      if (taken.kind === 'carry') carry.push(taken);
      log.push(taken);
      take(reader.push(taken));
    },
    end() {
      take(reader.end());
      const { answers, written, notes } = speaker;
      const plain = protocol === 'channels' ? log.plainText : undefined;
      const kept = { raw: plain ?? log.text, isPieceLog: plain === undefined };
      return { packet: collector.reply(), ...kept, carry, answers, written, notes };
    },
  };
}

function cutTo(piece: ReplyPiece, chars: number): ReplyPiece {
  if (!('text' in piece)) return piece;
  return { ...piece, text: piece.text.slice(0, Math.max(0, chars)) };
}
