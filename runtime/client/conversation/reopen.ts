import { Refusal } from '../../base/refusal.ts';
import type { ConversationTarget } from './target.ts';

export type PlaceOptions = Pick<ConversationTarget, 'bundle' | 'agent' | 'after' | 'tail'>;

/**
 * The target of a conversation that is opened again. Before its first use it takes over options that it does not have.
 * Refusal `already_open` for an option that it cannot follow.
 */
export function reopened(
  target: ConversationTarget,
  place: PlaceOptions,
  { isUsed }: { isUsed: boolean },
): ConversationTarget {
  const given = optionsOf(place);
  const open = optionsOf(target);
  for (const name of keysOf(given)) {
    if (open[name] === given[name] || (!isUsed && open[name] === undefined)) continue;
    if (name === 'tail' && isLoaded(open, given)) continue;
    throw alreadyOpen(target.id, { name, open: open[name], given: given[name] });
  }
  return isUsed ? target : { ...target, ...given };
}

/** Every turn is there, or `after` says where to begin. */
function isLoaded(open: PlaceOptions, given: PlaceOptions): boolean {
  return given.after !== undefined || (open.after === undefined && open.tail === undefined);
}

/** Without those that are undefined. */
function optionsOf({ bundle, agent, after, tail }: PlaceOptions): PlaceOptions {
  return {
    ...(bundle !== undefined && { bundle }),
    ...(agent !== undefined && { agent }),
    ...(after !== undefined && { after }),
    ...(tail !== undefined && { tail }),
  };
}

function keysOf(options: PlaceOptions): readonly (keyof PlaceOptions)[] {
  return (['bundle', 'agent', 'after', 'tail'] as const).filter((name) => name in options);
}

type Conflict = { name: string; open: string | number | undefined; given: unknown };

function alreadyOpen(id: string, { name, open, given }: Conflict): Refusal {
  const has = open === undefined ? `without ${name}` : `with ${name} ${JSON.stringify(open)}`;
  const message = `${id} is already open in this client ${has}, so it cannot be opened with ${name} ${JSON.stringify(given)}. Leave the option out, pass the same value, or connect another client for it.`;
  return new Refusal('already_open', message);
}
