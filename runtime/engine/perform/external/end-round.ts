import { isFault, toWire } from '../../../base/fault.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { isInDoubt, settle } from '../../../timeline/close/close-turn.ts';
import { inDoubtNotice } from '../../../tools/results/in-doubt.ts';
import { toWireUsage } from '../../model/usage.ts';
import { brokenOff } from '../../plan/round-end.ts';
import type { ExternalAgent, ExternalEvent, ExternalUsage } from '../../ports/external-agent.ts';
import { nextCall } from '../../reply/accept-actions.ts';
import type { WorkerSession } from '../../session/session.ts';
import { roundClose } from '../close/close-turn.ts';
import type { ExternalTexts } from './external-texts.ts';

type RoundEnd = {
  readonly texts: ExternalTexts;
  readonly ending: Extract<ExternalEvent, { kind: 'ended' }> | undefined;
  readonly about: ExternalAgent['about'];
  readonly ms: number;
  readonly files: readonly Draft[];
};

/** The program has finished: its last message is the answer, which the plan delivers. */
export function endedRound(session: WorkerSession, end: RoundEnd): readonly Draft[] {
  const { texts, ending, files } = end;
  const answer = texts.takeAnswer();
  const thoughts = answer ? [] : texts.end();
  const action = {
    kind: 'complete',
    call: nextCall(session.engine),
    answer: answer?.text ?? 'Finished without a message.',
    stream: answer?.stream ?? texts.nextStream(),
    followups: [],
    degraded: ending?.why !== 'done' || answer === undefined,
  };
  const call = modelCall(session, end, { finish: 'stop', actions: [action] });
  return [...thoughts, ...lostResults(session), ...files, call];
}

/** A steer or the end of the turn's time has stopped the program: what it had begun is reported. */
export function stoppedRound(session: WorkerSession, end: RoundEnd): readonly Draft[] {
  return [
    ...end.texts.end({ isInterrupted: true }),
    ...doubts(session),
    ...lostResults(session),
    ...end.files,
    modelCall(session, end, { finish: 'interrupted', actions: [] }),
  ];
}

/** The program failed. A transient failure is retried with its session by the next round. */
export function failedRound(session: WorkerSession, error: unknown): readonly Draft[] {
  const wire = toWire(error);
  const isRetried = isFault(error) && error.kind === 'transient';
  const end = isRetried
    ? { outcome: 'interrupted', more: { cause: brokenOff } }
    : { outcome: 'failed', more: {} };
  return [
    ...doubts(session),
    ...lostResults(session),
    roundClose(session.turn, end.outcome, { ...end.more, error: wire }),
  ];
}

/** A result for every call that has none, and an end for every open question. */
function lostResults({ conversation, now }: WorkerSession): readonly Draft[] {
  const settled = settle(conversation.view, { reason: 'interrupted', now });
  return settled.filter(({ type }) => type !== 'round.close');
}

function doubts({ turn }: WorkerSession): readonly Draft[] {
  const calls = turn.rounds.at(-1)?.calls ?? [];
  return calls
    .filter(isInDoubt)
    .map(({ call, tool }) =>
      inDoubtNotice({ turn: turn.id, call }, [{ id: call, tool, effects: 'unkeyed' }]),
    );
}

const noUsage: ExternalUsage = {
  ...{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 },
};

function modelCall(
  { turn }: WorkerSession,
  { ending, about, ms }: RoundEnd,
  data: { readonly finish: string; readonly actions: readonly JsonObject[] },
): Draft {
  const { costUsd, ...usage } = ending?.usage ?? noUsage;
  return {
    type: 'model.call',
    turn: turn.id,
    author: 'system',
    data: {
      ...{ model: about.name, role: 'decision', ms, cost_usd: costUsd },
      usage: toWireUsage(usage, costUsd),
      finish: data.finish,
      actions: data.actions,
    },
  };
}
