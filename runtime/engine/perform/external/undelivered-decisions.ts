import type { Json } from '../../../base/json.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { CallView, TurnView } from '../../../timeline/view.ts';

/** The code of a call whose program was ended before it learned the decision about it. */
export const undeliveredCode = 'not_executed';

/** Whether a call was allowed that its program, which was ended, could not begin. Undefined: nothing was decided. */
export function undeliveredDecision({ approval, result }: CallView): boolean | undefined {
  const outcome = approval?.closed && dataOf('approval.close', approval.closed)?.outcome;
  const error = result && dataOf('react.tool.result', result)?.error;
  if (error?.code !== undeliveredCode) return undefined;
  return outcome === 'allowed' || outcome === 'denied' ? outcome === 'allowed' : undefined;
}

/** Decisions of the turn that no program has learned yet. Each answers one question about the same call. */
export class UndeliveredDecisions {
  readonly #left: { tool: string; input: string; allow: boolean }[];

  constructor({ rounds }: TurnView) {
    const last = rounds.findLast(({ closed }) => closed);
    this.#left = (last?.calls ?? []).flatMap((call) => {
      const allow = undeliveredDecision(call);
      const input = dataOf('react.tool.call', call.request)?.input ?? {};
      return allow === undefined ? [] : [{ tool: call.tool, input: JSON.stringify(input), allow }];
    });
  }

  take(tool: string, input: Json): boolean | undefined {
    const text = JSON.stringify(input);
    const index = this.#left.findIndex((each) => each.tool === tool && each.input === text);
    return index < 0 ? undefined : this.#left.splice(index, 1)[0]?.allow;
  }
}
