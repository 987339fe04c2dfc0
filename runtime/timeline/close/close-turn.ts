import type { Draft } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { paths } from '../paths.ts';
import type { ApprovalView, CallView, View } from '../view.ts';
import { endCompaction } from './end-compaction.ts';
import { isHandedOff, waitOf } from './waits.ts';

type SettleOptions = {
  /** Why the work ended. Becomes the error code in the results of started calls, and the outcome of the round. */
  readonly reason: 'interrupted' | 'timeout' | 'failed';
  /** ISO time. */
  readonly now: string;
  /** Who ended it, if known. */
  readonly by?: string;
  /** The caller performs the calls that wait to be handed off. Otherwise nobody does. */
  readonly handsOff?: boolean;
};

/**
 * The blocks that an open turn needs before it can be closed: a result for every call without one (I4) and the end of the
 * open round, or of an open compaction. A compaction is open only between rounds.
 * Empty if nothing is open. The caller closes the turn itself.
 */
export function settle({ openTurn }: View, { reason, ...way }: SettleOptions): readonly Draft[] {
  const round = openTurn?.rounds.at(-1);
  if (!openTurn) return [];
  const asked = openTurn.approvals.flatMap((approval) => closeTurnApproval(approval));
  if (!round || round.closed) return [...asked, ...endCompaction(openTurn, reason)];
  const { id: turn } = openTurn;
  const results = round.calls.flatMap((call) => [
    ...closeApproval(call),
    ...(call.result ? [] : [lostResult(call, { reason, ...way })]),
  ]);
  const open = round.calls.filter(({ result }) => !result);
  const isActed = way.handsOff === true && open.length > 0 && open.every(isHandedOff);
  const outcome = reason === 'failed' ? 'failed' : isActed ? 'acted' : 'interrupted';
  const close = {
    type: 'round.close',
    turn,
    author: 'system',
    data: { round: round.number, outcome, ...(way.by === undefined ? {} : { by: way.by }) },
  } as const;
  return [...asked, ...results, close];
}

/** Ends an open approval request of the turn itself. */
export function closeTurnApproval(
  { request, closed }: ApprovalView,
  { outcome = 'interrupted' }: ApprovalOutcome = {},
): readonly Draft[] {
  const asked = dataOf('approval.request', request);
  if (closed || !asked) return [];
  const { turn } = request;
  const { request: id, kind } = asked;
  return [
    {
      type: 'approval.close',
      turn,
      author: 'system',
      path: paths.approval(turn, 'close', id),
      data: { request: id, ...(kind ? { kind } : {}), outcome, remember: 'once' },
    },
  ];
}

/** Ends the open approval request of a call. */
export function closeApproval(
  { call, tool, request, approval, escalation, result }: CallView,
  { outcome = 'interrupted', remember = 'once' }: ApprovalOutcome = {},
): readonly Draft[] {
  const asked = result ? escalation : approval;
  if (!asked || asked.closed) return [];
  const { request: id = call, kind } = dataOf('approval.request', asked.request) ?? {};
  return [
    {
      type: 'approval.close',
      turn: request.turn,
      author: 'system',
      call,
      path: paths.approval(request.turn, 'close', id),
      data: { request: id, ...(kind ? { kind } : {}), tool, outcome, remember },
    },
  ];
}

export type ApprovalOutcome = {
  readonly outcome?: 'allowed' | 'denied' | 'expired' | 'interrupted';
  readonly remember?: 'once' | 'turn' | 'conversation';
};

/** The call was started, has no result, and would repeat its effect if it ran again. */
export function isInDoubt(view: CallView): boolean {
  return !view.result && !isHandedOff(view) && isBegun(view) && effectsOf(view) === 'unkeyed';
}

function isBegun(view: CallView): boolean {
  return waitOf(view)?.for !== 'approval';
}

function effectsOf({ request }: CallView): keyof typeof doubt {
  return dataOf('react.tool.call', request)?.effects ?? 'unkeyed';
}

/** A result for a call that has none. It reports an effect with an unknown outcome, or the model might repeat it. */
function lostResult(view: CallView, { reason, now, by, handsOff }: SettleOptions): Draft {
  const { call, tool, request } = view;
  if (isHandedOff(view) && handsOff) return handedOffResult(view);
  const effects = effectsOf(view);
  const begun = isBegun(view) && !isHandedOff(view);
  const ended = reason === 'failed' ? 'interrupted' : reason;
  const code = begun ? ended : 'not_executed';
  const ms = Math.max(0, Date.parse(now) - Date.parse(request.at)) || 0;
  const who = by === undefined ? '' : ` by ${by}`;
  const message = `${tool} was stopped${who} ${(ms / 1_000).toFixed(1)} s after it was called. ${begun ? doubt[effects] : unbegun}`;
  return {
    type: 'react.tool.result',
    turn: request.turn,
    author: 'tool',
    call,
    path: paths.result(request.turn, call),
    text: `${code}: ${message}`,
    data: { ok: false, error: { code, message, retryable: !begun || effects !== 'unkeyed' } },
  };
}

function handedOffResult({ call, tool, request }: CallView): Draft {
  const code = 'handed_off';
  const message = `${tool} was handed off to the caller, who performs it. What came of it is in a later message.`;
  return {
    type: 'react.tool.result',
    turn: request.turn,
    author: 'tool',
    call,
    path: paths.result(request.turn, call),
    text: `${code}: ${message}`,
    data: { ok: false, error: { code, message, retryable: false } },
  };
}

const unbegun = 'It had not begun: nobody had allowed it.';
const doubt = {
  none: 'It has no effects; it may be called again.',
  keyed: 'It may or may not have had its effect; it can be called again, the effect happens once.',
  unkeyed: 'In doubt: it may or may not have had its effect. Check before you call it again.',
} as const;
