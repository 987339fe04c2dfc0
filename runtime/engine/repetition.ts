import type { Draft } from '../timeline/block.ts';
import { dataOf } from '../timeline/catalogue.ts';
import type { TurnView } from '../timeline/view.ts';
import type { ToolAction } from './actions.ts';
import { identicalCallsMax, identicalCallsNoticed } from './limits.ts';
import { noticeOf } from './notice.ts';

type Asked = Pick<ToolAction, 'tool' | 'input'>;

/** The model makes one call again and again, although nobody has said anything in between. */
export function isRepetition(turn: TurnView): boolean {
  return runOf(keysOf(turn)) >= identicalCallsMax;
}

/** Written once for each run of identical calls, when these actions make it long enough. */
export function repetitionNotices(
  turn: TurnView,
  actions: readonly Asked[],
  more: readonly Draft[],
): readonly Draft[] {
  const keys = [...keysOf(turn)];
  const told: Draft[] = [];
  for (const action of actions) {
    keys.push(keyOf(action));
    if (runOf(keys) !== identicalCallsNoticed) continue;
    const text = `${action.tool} was called ${identicalCallsNoticed} times in a row with the same input. Use what it returned, change the call, or go on without it: after ${identicalCallsMax} such calls this turn only finishes.`;
    told.push(noticeOf(turn, { text, data: { code: 'repeated_call' }, more: [...more, ...told] }));
  }
  return told;
}

function keysOf({ rounds, events }: TurnView): readonly string[] {
  const said = events.at(-1)?.seq ?? 0;
  return rounds
    .filter(({ asOf }) => asOf >= said)
    .flatMap(({ calls }) => calls)
    .map(({ tool, asked }) =>
      keyOf({ tool, input: dataOf('react.tool.call', asked)?.input ?? {} }),
    );
}

function keyOf({ tool, input }: Asked): string {
  return JSON.stringify([tool, input]);
}

/** How often the last of them stands at the end. */
function runOf(keys: readonly string[]): number {
  return keys.length - 1 - keys.findLastIndex((key) => key !== keys.at(-1));
}
