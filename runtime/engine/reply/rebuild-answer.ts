import type { BlobRef, Draft } from '../../timeline/block.ts';
import type { RoundOpening } from '../../timeline/render/past-rounds.ts';
import type { Publisher } from '../live/publisher.ts';
import { type AnswerContext, answerBlocks, type GeneratedAnswer } from './answer-blocks.ts';
import { type AnswerReply, createAnswerReader } from './answer-reader.ts';

type PastAnswer = {
  readonly opened: Pick<RoundOpening, 'round' | 'held'>;
  readonly raw: string;
  readonly reply: BlobRef | undefined;
  readonly publisher: Publisher;
  readonly recordedCall: Omit<GeneratedAnswer, keyof AnswerReply>;
};

/** The blocks of an answer that was written before: its reply is read again. */
export function rebuildAnswer(
  context: AnswerContext,
  { opened: { round, held }, raw, reply, publisher, recordedCall }: PastAnswer,
): readonly Draft[] {
  const place = { turn: context.turn.id, round };
  const reader = createAnswerReader({ place, publisher, held, resolve: () => undefined });
  reader.push(raw);
  return answerBlocks(context, { generated: { ...reader.end(), ...recordedCall }, reply, round });
}
