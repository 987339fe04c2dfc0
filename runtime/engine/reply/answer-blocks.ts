import type { BlobRef, Draft } from '../../timeline/block.ts';
import { paths } from '../../timeline/paths.ts';
import { promptsConversation } from '../../timeline/prompt-rounds.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { ReplyContext } from '../agent/reply-context.ts';
import { type RoundPlace, streamName } from '../live/live-stream.ts';
import { toWireFailed, toWireUsage } from '../model/usage.ts';
import { type FinalAction, toRecordedActions } from '../plan/actions.ts';
import { inlineAnswerIn } from '../plan/plan-answer.ts';
import { nextCall } from './accept-actions.ts';
import type { AnswerReply } from './answer-reader.ts';
import { type GeneratedReply, isCutOff, type Reply } from './generated-reply.ts';

export type GeneratedAnswer = AnswerReply & Omit<GeneratedReply, keyof Reply>;

type AnswerInput = {
  readonly generated: GeneratedAnswer;
  /** The raw reply, stored outside the log. */
  readonly reply: BlobRef | undefined;
  readonly round: number;
};

export type AnswerContext = Pick<ReplyContext, 'turn'> & {
  readonly engine: Pick<ReplyContext['engine'], 'ids'>;
};

/** The blocks of one written answer: it takes over everything else from the inline answer. One append. */
export function answerBlocks(
  { turn, engine }: AnswerContext,
  { generated, reply, round }: AnswerInput,
): readonly Draft[] {
  const place = { turn: turn.id, round };
  const isCut = generated.finish === 'interrupted';
  const isEmpty = generated.answer.trim() === '';
  const action =
    isCut || isEmpty ? undefined : actionOf(turn, { generated, place, ids: engine.ids });
  return [
    ...thinkingBlock(generated, { place, isCut }),
    ...(isCut ? shownPart(turn, { generated, place }) : []),
    modelCall(turn, { generated, reply }, action ? [action] : []),
    ...(action ? [] : [roundEnd(place, isCut)]),
  ];
}

type Written = { readonly generated: GeneratedAnswer; readonly place: RoundPlace };

function actionOf(
  turn: TurnView,
  { generated, place, ids }: Written & { ids: AnswerContext['engine']['ids'] },
): FinalAction {
  const { modelCall: completing } = turn.rounds.findLast(promptsConversation) ?? {};
  const inline = completing && inlineAnswerIn(completing);
  const { answer } = generated;
  return {
    followups: [],
    ...inline,
    kind: 'complete',
    call: nextCall({ ids }),
    answer: answer.toWellFormed(),
    stream: streamName(place, 'answer', 0),
    degraded: isCutOff(generated),
  };
}

function thinkingBlock(
  { thinking }: GeneratedAnswer,
  { place, isCut }: { place: RoundPlace; isCut: boolean },
): readonly Draft[] {
  if (thinking === '') return [];
  const data = { stream: streamName(place, 'thinking', 0), instance: 0 };
  const meta = isCut ? { meta: { interrupted: true } } : {};
  return [
    { type: 'react.thinking', turn: place.turn, author: 'agent', text: thinking, data, ...meta },
  ];
}

/** What people have seen of an interrupted answer stays on the log. */
function shownPart(turn: TurnView, { generated, place }: Written): readonly Draft[] {
  if (generated.shown.trim() === '') return [];
  const n = turn.completions.length + 1;
  const stream = streamName(place, 'answer', 0);
  return [
    {
      type: 'assistant.completion',
      turn: turn.id,
      author: 'agent',
      path: paths.completion(turn.id, n),
      mime: 'text/markdown',
      text: generated.shown.toWellFormed(),
      data: { stream, n, degraded: false, sources_used: [] },
      meta: { interrupted: true },
    },
  ];
}

function modelCall(
  turn: TurnView,
  { generated, reply }: Pick<AnswerInput, 'generated' | 'reply'>,
  actions: readonly FinalAction[],
): Draft {
  const { model, finish, usage, costUsd, estimated, ms, firstTokenMs } = generated;
  return {
    type: 'model.call',
    turn: turn.id,
    author: 'system',
    ...(reply ? { blob: reply } : {}),
    data: {
      model,
      role: 'answer',
      finish,
      usage: toWireUsage(usage, costUsd),
      cost_usd: costUsd,
      ...(estimated ? { estimated } : {}),
      ...toWireFailed(generated.insteadOf),
      ms,
      ...(firstTokenMs === undefined ? {} : { first_token_ms: firstTokenMs }),
      actions: toRecordedActions(actions),
    },
  };
}

/** Without a text the inline answer is delivered. */
function roundEnd({ turn, round }: RoundPlace, isCut: boolean): Draft {
  const error = { code: 'ANSWER_EMPTY', message: 'The model wrote no answer.' };
  const data = isCut ? { outcome: 'interrupted' } : { outcome: 'failed', error };
  return { type: 'round.close', turn, author: 'system', data: { round, ...data } };
}
