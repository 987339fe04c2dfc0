import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { closeApproval } from '../../../timeline/close/close-turn.ts';
import { paths } from '../../../timeline/paths.ts';
import { brief } from '../../../timeline/render/text.ts';
import { approvalTimeoutMs, questionDetailCharsMax } from '../../../tools/limits.ts';
import type { EscalateStep, SettleEscalationStep } from '../../plan/plan-escalation.ts';
import { failureOf } from '../../plan/tool-failure.ts';
import type { WorkerSession } from '../../session/session.ts';

/** Asks a person whether the turn goes on after a failed call. Written once: the plan then waits for the decision. */
export async function escalateFailure(
  session: WorkerSession,
  { call: { call, tool, request: asked, ...rest } }: EscalateStep,
): Promise<void> {
  const { code = 'tool_failed', message = '' } =
    failureOf({ call, tool, request: asked, ...rest }) ?? {};
  const { id: turn } = session.turn;
  const request = `${call}_failed`;
  const draft: Draft = {
    type: 'approval.request',
    turn,
    author: 'system',
    call,
    path: paths.approval(turn, 'request', request),
    data: {
      request,
      kind: 'tool_failure',
      call,
      tool,
      title: `${tool} failed. Go on without it?`,
      detail: brief(`${code}: ${message}`, questionDetailCharsMax),
      input: dataOf('react.tool.call', asked)?.input ?? {},
      remember: 'once',
      deadline: session.deadlineIn(approvalTimeoutMs),
    },
  };
  await session.conversation.append([draft]);
}

export async function settleEscalation(
  session: WorkerSession,
  { call, outcome }: SettleEscalationStep,
): Promise<void> {
  // A decision that arrived in time but after the plan was made still counts.
  const rules = outcome === 'expired' ? { expectHead: session.conversation.view.head } : {};
  await session.conversation.append(closeApproval(call, { outcome }), rules);
}
