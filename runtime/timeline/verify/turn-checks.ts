import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';

/** A problem with a block: a code and a text for people. */
export type Finding = readonly [code: string, text: string];
type Watch = (block: Block) => readonly Finding[];

/** At most one turn is open at a time, and each is opened once (I4). */
export function watchTurns(): Watch {
  const opened = new Set<string>();
  let open: string | undefined;
  return ({ turn, type }) => {
    if (type === 'turn.close' && open === turn) open = undefined;
    if (type !== 'turn.open') return [];
    const left = open;
    const again = opened.has(turn);
    opened.add(turn);
    open = turn;
    return [
      ...(left === undefined ? [] : [['turn_left_open', left] as const]),
      ...(again ? [['turn_opened_again', turn] as const] : []),
    ];
  };
}

/** A turn is closed once, and no block follows in it (I4). */
export function watchCloses(): Watch {
  const closed = new Set<string>();
  return ({ turn, type }) => {
    const after = closed.has(turn);
    if (type === 'turn.close') closed.add(turn);
    if (!after) return [];
    return [
      type === 'turn.close'
        ? ['turn_closed_again', turn]
        : ['block_after_close', `${type} in ${turn}`],
    ];
  };
}

/** A round ends before the next begins and before its turn ends. */
export function watchRounds(): Watch {
  const open = new Map<string, number>();
  return (block) => {
    const { type, turn } = block;
    const round = open.get(turn);
    const left: readonly Finding[] =
      round === undefined ? [] : [['round_left_open', `round ${round} of ${turn}`]];
    switch (type) {
      case 'round.open':
        open.set(turn, dataOf('round.open', block)?.round ?? 0);
        return left;
      case 'round.close':
        open.delete(turn);
        return round === undefined ? [['round_not_open', turn]] : [];
      case 'turn.close':
        return left;
      default:
        return [];
    }
  };
}

/**
 * Every approval request is closed before its call has a result, before the round ends if it is about a failure, and before
 * the next round if it is about the turn itself (I4).
 */
export function watchApprovals(): Watch {
  const open = new Map<string, string>();
  return (block) => {
    const { type, turn, call = '' } = block;
    const id = call === '' ? requestOf(block) : call;
    switch (type) {
      case 'approval.request':
        open.set(id, turn);
        return [];
      case 'approval.close':
        return open.delete(id) ? [] : [['approval_not_open', id]];
      case 'react.tool.result':
        return open.has(call) ? [['approval_left_open', call]] : [];
      case 'round.open':
      case 'round.close':
      case 'turn.close':
        return [...open]
          .filter(([, of]) => of === turn)
          .map(([each]) => ['approval_left_open', each] as const);
      default:
        return [];
    }
  };
}

function requestOf({ data }: Block): string {
  return isJsonObject(data) ? String(data['request']) : '';
}

/** Every call has exactly one result, before its round ends (I4). */
export function watchCalls(): Watch {
  const waiting = new Map<string, string>();
  const asked = new Set<string>();
  return ({ type, turn, call = '' }) => {
    switch (type) {
      case 'react.tool.call': {
        const again = asked.has(call);
        asked.add(call);
        waiting.set(call, turn);
        return again ? [['call_asked_again', call]] : [];
      }
      case 'react.tool.result':
        if (waiting.delete(call)) return [];
        return [asked.has(call) ? ['result_again', call] : ['result_without_call', call]];
      case 'round.close':
      case 'turn.close':
        return [...waiting]
          .filter(([, of]) => of === turn)
          .map(([each]) => ['call_without_result', each] as const);
      default:
        return [];
    }
  };
}
