import type { Block } from '../block.ts';
import { noTurn, type TurnId } from '../ids.ts';
import { type BlockPath, toBlockPath } from '../paths.ts';
import type { MutableTurn, MutableView } from './mutable-view.ts';

/** `ar:none.…`: the path of an event that arrived between two turns. */
const ownerless = new RegExp(`^(ar|fi):${noTurn}\\.`);

/** Keeps an event that arrived between two turns for the next turn, which reads it like an event of its own. */
export function keepForNextTurn(work: MutableView, block: Block): void {
  if (/^(user|external)\./.test(block.type)) work.between = [...work.between, block];
}

/** A new turn begins with the events that have waited for it, in its own name. */
export function takeWaiting(work: MutableView, { turn }: MutableTurn): void {
  const { between } = work;
  work.between = [];
  for (const block of between) {
    const path = block.path === undefined ? {} : { path: pathIn(block.path, turn.id) };
    const event = { ...block, turn: turn.id, ...path };
    turn.blocks.push(event);
    turn.events.push(event);
  }
}

/** The path of an event in the turn that took it. */
export function pathIn(path: BlockPath, turn: TurnId): BlockPath {
  return toBlockPath(path.replace(ownerless, `$1:${turn}.`));
}

export function isBetween({ path }: Block): boolean {
  return path !== undefined && ownerless.test(path);
}
