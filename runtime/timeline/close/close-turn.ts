import type { Draft } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { paths } from '../paths.ts';
import type { CallView, View } from '../view.ts';
import { endCompaction } from './end-compaction.ts';
import { waitOf } from './waits.ts';

type SettleOptions = {
  /** Why nothing more comes of it. It is the error code of the results of calls that began and, for the round, how it ended. */
  readonly reason: 'interrupted' | 'timeout' | 'failed';
  /** ISO time. */
  readonly now: string;
  /** Who ended it, where that is known. */
  readonly by?: string;
};

/**
 * What makes an open turn fit to be closed: a result for every call that has none (I4) and the end of an open round,
 * or of an open compaction: between rounds there is one, within them none.
 * Empty where nothing is open. The turn's own close is the caller's.
 */
export function settle({ openTurn }: View, { reason, ...way }: SettleOptions): readonly Draft[] {
  const round = openTurn?.rounds.at(-1);
  if (!openTurn || !round || round.closed) return openTurn ? endCompaction(openTurn, reason) : [];
  const { id: turn } = openTurn;
  const results = round.calls
    .filter(({ result }) => !result)
    .flatMap((call) => [...closeApproval(call), lostResult(call, { reason, ...way })]);
  const outcome = reason === 'failed' ? 'failed' : 'interrupted';
  const close = {
    type: 'round.close',
    turn,
    author: 'system',
    data: { round: round.number, outcome },
  } as const;
  return [...results, close];
}

/** Nobody is asked any more. */
export function closeApproval(
  { call, tool, request, approval }: CallView,
  { outcome = 'interrupted', remember = 'once' }: ApprovalOutcome = {},
): readonly Draft[] {
  if (!approval || approval.closed) return [];
  return [
    {
      type: 'approval.close',
      turn: request.turn,
      author: 'system',
      call,
      path: paths.approval(request.turn, 'close', call),
      data: { request: call, tool, outcome, remember },
    },
  ];
}

export type ApprovalOutcome = {
  readonly outcome?: 'allowed' | 'denied' | 'expired' | 'interrupted';
  readonly remember?: 'once' | 'turn' | 'conversation';
};

/** It was begun, has no result, and would have its effect again if it was repeated. */
export function isInDoubt(view: CallView): boolean {
  return !view.result && isBegun(view) && effectsOf(view) === 'unkeyed';
}

function isBegun(view: CallView): boolean {
  return waitOf(view)?.for !== 'approval';
}

function effectsOf({ request }: CallView): keyof typeof doubt {
  return dataOf('react.tool.call', request)?.effects ?? 'unkeyed';
}

/** An effect whose outcome nobody knows is said to be in doubt: silence would invite a second one. */
function lostResult(view: CallView, { reason, now, by }: SettleOptions): Draft {
  const { call, tool, request } = view;
  const effects = effectsOf(view);
  const begun = isBegun(view);
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

const unbegun = 'It had not begun: nobody had allowed it.';
const doubt = {
  none: 'It has no effects; it may be called again.',
  keyed: 'It may or may not have had its effect; it can be called again, the effect happens once.',
  unkeyed: 'In doubt: it may or may not have had its effect. Check before you call it again.',
} as const;
