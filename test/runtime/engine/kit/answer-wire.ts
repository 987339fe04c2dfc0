import { Fault } from '../../../../runtime/base/fault.ts';
import type {
  Model,
  ModelAbilities,
  ModelEvent,
  ModelRequest,
} from '../../../../runtime/engine/ports/model.ts';

/** What one request gets: an answer in the form that was requested, some other text, or a fault. */
export type WireAnswer =
  | { readonly kind: 'json'; readonly json: string }
  | { readonly kind: 'text'; readonly text: string; readonly finish?: 'stop' | 'length' }
  | { readonly kind: 'fault'; readonly code: 'MODEL_REFUSED' | 'MODEL_UNREACHABLE' };

export type AnswerWire = Model & { readonly requests: readonly ModelRequest[] };

const usage = { inputTokens: 10, outputTokens: 3, cacheReadTokens: 2, cacheWriteTokens: 1 };

/** A model whose requests get these answers in order; the last one repeats. */
export function answerWire(answers: readonly WireAnswer[], abilities?: ModelAbilities): AnswerWire {
  const requests: ModelRequest[] = [];
  return {
    id: 'wire:test',
    contextTokens: 100_000,
    ...(abilities ? { abilities } : {}),
    requests,
    costUsd: ({ inputTokens, outputTokens }) => (inputTokens + outputTokens) / 1_000,
    async *stream(request): AsyncGenerator<ModelEvent> {
      requests.push(request);
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer) yield* eventsOf(answer, request);
      yield { kind: 'done', finish: finishOf(answer), usage, model: 'wire' };
    },
  };
}

function finishOf(answer: WireAnswer | undefined) {
  return answer?.kind === 'text' ? (answer.finish ?? 'stop') : 'stop';
}

function* eventsOf(answer: WireAnswer, { offer }: ModelRequest): Generator<ModelEvent> {
  if (answer.kind === 'fault') throw new Fault(answer.code, { because: 'the test sets this' });
  if (answer.kind === 'text' || !offer) {
    yield { kind: 'text', text: answer.kind === 'text' ? answer.text : answer.json };
    return;
  }
  const name = offer.tools[0]?.name ?? '';
  yield { kind: 'call', call: '1', name };
  for (const text of answer.json) yield { kind: 'arguments', call: '1', text };
  yield { kind: 'call_end', call: '1' };
}
