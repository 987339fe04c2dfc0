import type { Block } from '../block.ts';
import type { TurnView, View } from '../view.ts';
import { pathIn } from './between.ts';
import { type MutableView, mutableTurn } from './mutable-view.ts';

/**
 * A recall removes the event with the same path if no round has seen it: the recall block takes its place, and the event
 * no longer counts as one. A recall that arrives too late has no effect. The order of the log decides.
 */
export function applyRecall(work: MutableView, recall: Block): void {
  const { between } = work;
  if (between.some(({ path }) => path === recall.path)) {
    work.between = between.filter(({ path }) => path !== recall.path);
    return;
  }
  const event = work.turns
    .flatMap(({ events }) => events)
    .findLast(({ path, turn }) => recall.path && path === pathIn(recall.path, turn));
  if (!event || isConsumed(work.turns, event)) return;
  const { turn } = mutableTurn(work, event);
  const place = turn.blocks.findIndex(({ seq }) => seq === event.seq);
  turn.blocks.splice(place, 1, { ...recall, ...placeOf(event) });
  turn.events.splice(turn.events.indexOf(event), 1);
}

function placeOf({ seq, turn, at, path }: Block): Pick<Block, 'seq' | 'turn' | 'at' | 'path'> {
  return { seq, turn, at, ...(path === undefined ? {} : { path }) };
}

/** A model has read the event, in a round or to choose tools, or it is a stop that ended its turn. */
export function isConsumed(turns: readonly TurnView[], event: Block): boolean {
  const isConsulted = turns.some(({ consultedAsOf = 0 }) => event.seq <= consultedAsOf);
  return isConsulted || isSettled(turns, event);
}

/** A round has seen the event, or it is a stop that ended its turn. */
export function isSettled(turns: readonly TurnView[], event: Block): boolean {
  if (event.seq <= lastSeenSeq(turns)) return true;
  const isOver = turns.some(({ id, closed }) => id === event.turn && closed !== undefined);
  return isOver && isStop(event);
}

export function isStop(event: Block): boolean {
  return event.type === 'external.steer' && (event.text ?? '').trim() === '';
}

/** Seq of the last block that any round has seen; 0: none. */
export function lastSeenSeq(turns: readonly TurnView[]): number {
  return turns.reduce((seen, { rounds }) => Math.max(seen, ...rounds.map(({ asOf }) => asOf)), 0);
}

/** All events that could still start a round were recalled. */
export function isFullyRecalled({ turns }: View): boolean {
  const stops = turns.flatMap(({ closed, events }) => (closed ? events.filter(isStop) : []));
  const settled = Math.max(lastSeenSeq(turns), stops.at(-1)?.seq ?? 0);
  const isUnseen = ({ seq }: Block) => seq > settled;
  const waits = turns.some(({ events }) => events.some(isUnseen));
  const isGone = (block: Block) => block.type === 'external.recall' && isUnseen(block);
  return !waits && turns.some(({ blocks }) => blocks.some(isGone));
}
