import { z } from 'zod';
import { storedJson } from '../../timeline/catalogue/entry.ts';
import type { RoundView, TurnView } from '../../timeline/view.ts';
import type { CloseTurnStep } from './plan-ask.ts';

const Opened = z.looseObject({
  call: z.object({ tool: z.string(), input: z.record(z.string(), storedJson) }),
});

/** A call that the caller of the turn chose. */
export type DirectCall = z.infer<typeof Opened>['call'];
/** The round that makes the call of its caller, without a model. */
export type DirectStep = { readonly do: 'open_direct'; readonly call: DirectCall };

/**
 * A turn that was opened with a call makes this call and closes. Undefined: a model decides. Events that arrived in between
 * get a turn of their own.
 */
export function planDirect(
  turn: TurnView,
  last: RoundView | undefined,
): DirectStep | CloseTurnStep | undefined {
  const opened = Opened.safeParse(turn.data);
  if (!opened.success) return undefined;
  if (!last) return { do: 'open_direct', call: opened.data.call };
  return { do: 'close_turn', reason: 'completed', asOf: last.asOf };
}
