import { invariant } from '../base/assert.ts';
import type { Draft } from '../timeline/block.ts';
import { paths } from '../timeline/paths.ts';
import { anchorsIn } from '../timeline/summaries.ts';
import type { TurnView } from '../timeline/view.ts';
import type { FinalAction } from './actions.ts';
import { citedBy, unknownCitations } from './cited.ts';
import { roundClose, turnClose } from './close.ts';
import type { Visit } from './visit.ts';

/**
 * The answer is always written; the turn closes only behind the gate. If something reactive arrived that the model
 * had not seen, `turn.close` is held back and the next plan asks again: a later answer is added, never replaced (I3).
 */
export async function complete(visit: Visit, action: FinalAction): Promise<void> {
  const { turn } = visit;
  const round = turn.rounds.at(-1);
  invariant(round, 'a completion belongs to a round');
  const answer = [
    ...completion(visit, action),
    ...summary(turn, action),
    roundClose(turn, 'answered'),
  ];
  const close = turnClose(turn, { reason: 'completed', more: answer });
  await visit.owned.append([...answer, close], { asOf: round.asOf, gate: answer.length });
}

function completion(visit: Visit, action: FinalAction): readonly Draft[] {
  const { turn } = visit;
  const { answer, stream, degraded, followups, output, citations } = action;
  if (answer === undefined) return [];
  const n = turn.completions.length + 1;
  const cited = citedBy(action, visit.owned.view.sources);
  return [
    {
      type: 'assistant.completion',
      turn: turn.id,
      author: 'agent',
      path: paths.completion(turn.id, n),
      mime: 'text/markdown',
      text: answer,
      data: {
        stream,
        n,
        degraded,
        sources_used: cited.used,
        ...(followups.length > 0 ? { followups } : {}),
        ...(output === undefined ? {} : { output }),
        ...(citations === undefined ? {} : { citations }),
      },
    },
    ...unknownCitations(turn, cited),
  ];
}

function summary(turn: TurnView, action: FinalAction): readonly Draft[] {
  if (action.summary === undefined || action.summary.trim() === '') return [];
  const attempt = turn.blocks.filter((block) => block.type === 'conv.working.summary').length + 1;
  return [
    {
      type: 'conv.working.summary',
      turn: turn.id,
      author: 'agent',
      path: paths.summary(turn.id, attempt),
      mime: 'text/markdown',
      text: action.summary.trim(),
      data: { anchors: anchorsIn(action.summary) },
    },
  ];
}
