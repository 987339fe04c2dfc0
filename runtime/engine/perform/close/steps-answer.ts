import { isJsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import type { TurnView } from '../../../timeline/view.ts';
import { stepsAnswerMax } from '../../limits.ts';
import { isRepetition } from '../../plan/repetition.ts';
import { spendRefusal } from '../../plan/spend-refusal.ts';

type Ending = {
  readonly reason: string;
  /** Blocks of the same append that are not in the turn yet. */
  readonly more: readonly Draft[];
};

/**
 * Replaces the answer of a turn that ended without one: its calls and their outcomes. Empty if there is an answer.
 */
export function stepsAnswer(turn: TurnView, { reason, more }: Ending): readonly Draft[] {
  if (turn.completions.some(({ meta }) => meta['interrupted'] !== true)) return [];
  const n = turn.completions.length + 1;
  return [
    {
      type: 'assistant.completion',
      turn: turn.id,
      // Not by the agent: a caller that waits for the agent's answer gets none.
      author: 'system',
      path: paths.completion(turn.id, n),
      mime: 'text/markdown',
      text: `${openingOf(turn, reason)}\n\n${stepsOf(turn, more)}`,
      data: { n, degraded: false, sources_used: [] },
    },
  ];
}

function openingOf(turn: TurnView, reason: string): string {
  if (reason === 'completed') return 'The call was made as its caller sent it.';
  if (reason === 'handed_off') return 'The next call is for the caller to perform.';
  if (reason === 'failed') return 'This turn failed before there was an answer.';
  if (reason !== 'exhausted') return 'This turn was stopped before there was an answer.';
  const refusal = spendRefusal(turn)?.text;
  if (refusal !== undefined) return refusal;
  return isRepetition(turn)
    ? 'The same call was made again and again, and the turn was ended before there was an answer.'
    : 'The budget of this turn was used up before there was an answer.';
}

function stepsOf({ rounds }: TurnView, more: readonly Draft[]): string {
  const calls = rounds.flatMap((round) => round.calls);
  if (calls.length === 0) return 'No tool was called.';
  const lines = calls.map(({ call, tool, result }) => {
    const ended = result ?? more.find((each) => each.call === call && isResult(each));
    return `- ${tool}: ${outcomeOf(ended)}`;
  });
  const shown = lines.slice(-stepsAnswerMax);
  const left = lines.length - shown.length;
  return ['Steps:', ...(left > 0 ? [`- … ${left} earlier`] : []), ...shown].join('\n');
}

function isResult({ type }: Draft): boolean {
  return type === 'react.tool.result';
}

function outcomeOf(result: Draft | undefined): string {
  const data = isJsonObject(result?.data) ? result.data : {};
  const { ok, error } = data;
  return ok === true ? 'OK' : String(isJsonObject(error) ? error['code'] : 'interrupted');
}
