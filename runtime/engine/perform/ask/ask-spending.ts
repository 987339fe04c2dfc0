import type { JsonObject } from '../../../base/json.ts';
import type { Draft } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { closeTurnApproval } from '../../../timeline/close/close-turn.ts';
import { paths } from '../../../timeline/paths.ts';
import type { ApprovalView } from '../../../timeline/view.ts';
import { approvalTimeoutMs } from '../../../tools/limits.ts';
import { noticeOf } from '../../plan/notice.ts';
import type { SettleQuestionStep } from '../../plan/plan-question.ts';
import { spendNotice } from '../../plan/spend-refusal.ts';
import type { WorkerSession } from '../../session/session.ts';
import type { SpendExtension } from '../../spending/spending.ts';

/**
 * A limit is used up. Asks the user whether to extend it, where operators allow that; otherwise the log says that it is
 * used up, and the next plan ends the turn. Written once: the plan then waits for the decision.
 */
export async function askAboutLimit(
  session: WorkerSession,
  { reached, asks }: { readonly reached: string; readonly asks: boolean },
): Promise<void> {
  const { engine, conversation } = session;
  const extension = asks ? await engine.spending?.extension(conversation.lease.row) : undefined;
  const draft = extension
    ? questionOf(session, { reached, extension })
    : exhaustedNotice(session, reached);
  await conversation.append([draft]);
}

type Question = { readonly reached: string; readonly extension: SpendExtension };

function questionOf(session: WorkerSession, { reached, extension }: Question): Draft {
  const { id: turn, approvals } = session.turn;
  const request = `${turn}_spending_${approvals.length + 1}`;
  return {
    type: 'approval.request',
    turn,
    author: 'system',
    path: paths.approval(turn, 'request', request),
    data: {
      request,
      kind: 'spending',
      title: `Extend the spending limit by ${amountText(extension)}?`,
      detail: reached,
      remember: 'once',
      deadline: session.deadlineIn(approvalTimeoutMs),
      extension: toData(extension),
    },
  };
}

function exhaustedNotice({ turn }: WorkerSession, text: string): Draft {
  return noticeOf(turn, { text, data: { code: spendNotice } });
}

/**
 * The extension is stored before the decision is closed: an owner that is lost in between does not lose it, and the next one
 * stores it once more under the same consent.
 */
export async function settleQuestion(
  session: WorkerSession,
  { approval, outcome }: SettleQuestionStep,
): Promise<void> {
  const { engine, conversation } = session;
  const { request = '', detail = '' } = dataOf('approval.request', approval.request) ?? {};
  const extension = extensionIn(approval);
  if (outcome === 'allowed' && extension) {
    await engine.spending?.extend(conversation.lease.row, extension, request);
  }
  const goesOn = outcome === 'allowed' || outcome === 'interrupted';
  const more = goesOn ? [] : [exhaustedNotice(session, detail)];
  // A decision that arrived in time but after the plan was made still counts.
  const rules = outcome === 'expired' ? { expectHead: conversation.view.head } : {};
  await conversation.append([...closeTurnApproval(approval, { outcome }), ...more], rules);
}

function toData({ costUsd, tokens, ...place }: SpendExtension): JsonObject {
  return {
    ...place,
    ...(costUsd === undefined ? {} : { usd: costUsd }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

function extensionIn({ request }: ApprovalView): SpendExtension | undefined {
  const stated = dataOf('approval.request', request)?.extension;
  if (!stated) return undefined;
  const { of, per, period, usd, tokens } = stated;
  return {
    ...{ of, per, period },
    ...(usd === undefined ? {} : { costUsd: usd }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

function amountText({ costUsd, tokens }: SpendExtension): string {
  const amounts = [
    ...(costUsd === undefined ? [] : [`${costUsd} USD`]),
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString('en-US')} tokens`]),
  ];
  return amounts.join(' and ');
}
