import { invariant } from '../../../base/assert.ts';
import { isJsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { Seq } from '../../../timeline/ids.ts';
import { paths } from '../../../timeline/paths.ts';
import type { TurnView } from '../../../timeline/view.ts';
import { anchorsIn } from '../../../timeline/working-summary.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import { completionRefusalsMax } from '../../limits.ts';
import type { FinalAction } from '../../plan/actions.ts';
import { answerReason } from '../../plan/plan-answer.ts';
import type { WorkerSession } from '../../session/session.ts';
import { citedSources, unknownCitations } from './cited-sources.ts';
import { roundClose, turnClose } from './close-turn.ts';
import { judgeAnswer } from './judge-answer.ts';

/**
 * The answer is always written; the turn closes only behind the gate. If something reactive arrived that the model
 * had not seen, `turn.close` is held back and the next plan asks again: a later answer is added, never replaced (I3).
 */
export async function completeTurn(session: WorkerSession, action: FinalAction): Promise<void> {
  const { turn } = session;
  const round = turn.rounds.at(-1);
  invariant(round, 'a completion belongs to a round');
  const judged = await judgeAnswer(session, action);
  if (!judged.ok) {
    await (round.closed
      ? refuseInlineAnswer(session, { asOf: round.asOf, judged })
      : session.conversation.append([...judged.drafts, refusedRound(session, judged.error)]));
    return;
  }
  const answer = [
    ...judged.drafts,
    ...completion(session, { ...action, ...judged.answer }, judged.drafts),
    ...summary(turn, action),
    ...(round.closed ? [] : [roundClose(turn, 'answered')]),
  ];
  const close = turnClose(turn, { reason: answerReason(turn), more: answer });
  await session.conversation.append([...answer, close], { asOf: round.asOf, gate: answer.length });
}

type Refused = {
  readonly asOf: Seq;
  readonly judged: { drafts: readonly Draft[]; error: ToolError };
};

/** No model is left that could answer again: the turn fails, so that nothing refused is shown. */
async function refuseInlineAnswer(
  { turn, conversation }: WorkerSession,
  { asOf, judged: { drafts, error } }: Refused,
): Promise<void> {
  const close = turnClose(turn, { reason: 'failed', error: refusalOf(error), more: drafts });
  await conversation.append([...drafts, close], { asOf, gate: drafts.length });
}

function refusalOf({ code, message }: ToolError) {
  return { code: 'COMPLETION_REFUSED', message: `${code}: ${message}` };
}

/** The model answers again a limited number of times. Then the turn fails, so that nothing refused is shown. */
function refusedRound({ turn }: WorkerSession, refusal: ToolError): Draft {
  const before = turn.rounds.filter(({ blocks }) => blocks.some(isRefused)).length;
  if (before < completionRefusalsMax) return roundClose(turn, 'refused');
  return roundClose(turn, 'failed', { error: refusalOf(refusal) });
}

function isRefused({ type, data }: Draft): boolean {
  return type === 'round.close' && isJsonObject(data) && data['outcome'] === 'refused';
}

function completion(
  session: WorkerSession,
  action: FinalAction,
  more: readonly Draft[],
): readonly Draft[] {
  const { turn } = session;
  const { answer, stream, degraded, followups, output, citations } = action;
  if (answer === undefined) return [];
  const n = turn.completions.length + 1;
  const cited = citedSources(action, session.conversation.view.sources);
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
    ...unknownCitations(turn, cited, more),
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
