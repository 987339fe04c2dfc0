import type { Block, Draft } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { TurnView } from '../../timeline/view.ts';
import { identicalCallsMax, identicalCallsNoticed } from '../limits.ts';
import type { ToolAction } from './actions.ts';
import { noticeOf } from './notice.ts';

type CallInput = Pick<ToolAction, 'tool' | 'input' | 'call'>;

/** A call for counting; `outcome` is undefined until there is a result. */
type CountedCall = { readonly key: string; readonly outcome: string | undefined };

/** The model repeats one call with one result, and no event arrived in between. */
export function isRepetition(turn: TurnView): boolean {
  return runLength(callsIn(turn)) >= identicalCallsMax;
}

/** A call behind identical ones in the same reply: recorded, but not executed. */
export function behindRepetition(action: ToolAction): ToolAction {
  const declined = `${action.tool} did not run, because the same call was made ${identicalCallsMax} times with the same result.`;
  return { ...action, declined };
}

/** Written once for each run of identical calls, when these actions make it long enough. */
export function repetitionNotices(
  turn: TurnView,
  actions: readonly CallInput[],
  more: readonly Draft[],
): readonly Draft[] {
  const made = [...callsIn(turn)];
  const written = turn.rounds.at(-1)?.blocks ?? [];
  const notices: Draft[] = [];
  for (const action of actions) {
    made.push({ key: keyOf(action, written), outcome: undefined });
    if (runLength(made) !== identicalCallsNoticed) continue;
    const text = `${action.tool} was called ${identicalCallsNoticed} times in a row with the same input. Use what it returned, change the call, or go on without it: after ${identicalCallsMax} such calls this turn only finishes.`;
    notices.push(
      noticeOf(turn, { text, data: { code: 'repeated_call' }, more: [...more, ...notices] }),
    );
  }
  return notices;
}

function callsIn({ rounds, events }: TurnView): readonly CountedCall[] {
  const lastEvent = events.at(-1)?.seq ?? 0;
  return (
    rounds
      // In the finalize phase calls are refused.
      .filter(({ asOf, phase }) => asOf >= lastEvent && phase === 'decision')
      .flatMap(({ calls, blocks }) =>
        calls
          .filter(({ result }) => !isDeclined(result))
          .map(({ call, tool, request, result }) => ({
            key: keyOf(
              { call, tool, input: dataOf('react.tool.call', request)?.input ?? {} },
              blocks,
            ),
            outcome: result && outcomeOf(result),
          })),
      )
  );
}

/** A call that did not run repeats nothing. */
function isDeclined(result: Block | undefined): boolean {
  return (
    result !== undefined && dataOf('react.tool.result', result)?.error?.code === 'not_executed'
  );
}

/** The program is part of the call: a repaired program is another call. `blocks` are those of the round. */
function keyOf({ call, tool, input }: CallInput, blocks: readonly Block[]): string {
  const program = blocks.find((each) => each.type === 'react.code' && each.call === call);
  return JSON.stringify([tool, input, program?.text ?? null]);
}

function outcomeOf(result: Block): string {
  const { error, ret } = dataOf('react.tool.result', result) ?? {};
  return JSON.stringify(error ? [error.code, error.message] : (result.text ?? ret ?? null));
}

/** How many identical calls are at the end. Another result ends the run: the polled state has changed. */
function runLength(made: readonly CountedCall[]): number {
  const last = made.at(-1);
  const outcome = made.findLast((each) => each.outcome !== undefined)?.outcome;
  const differs = (each: CountedCall) =>
    each.key !== last?.key || (each.outcome !== undefined && each.outcome !== outcome);
  return made.length - 1 - made.findLastIndex(differs);
}
