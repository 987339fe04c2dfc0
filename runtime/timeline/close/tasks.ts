import { z } from 'zod';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { CallView, TurnView } from '../view.ts';

/** The block type of the event that says how a task has ended. */
export const taskEvent = 'external.task';

/** A tool call whose work goes on after its result. */
export type Task = {
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  /** The turn of the call. */
  readonly turn: TurnView;
  readonly startedAt: string;
} & (
  | { readonly state: 'running' | 'cancelled' }
  | { readonly state: 'finished'; readonly ret: Json }
  | { readonly state: 'failed'; readonly error: string }
);

const Deferred = z.looseObject({
  deferred: z.looseObject({ task: z.string(), title: z.string() }),
});
const Cancelled = z.looseObject({ cancelled: z.string() });
const Ending = z.looseObject({
  payload: z.discriminatedUnion('ok', [
    z.looseObject({ task: z.string(), ok: z.literal(true), ret: z.json() }),
    z.looseObject({ task: z.string(), ok: z.literal(false), error: z.string() }),
  ]),
});

/** The tasks of these turns, in order. The first ending of a task counts. */
export function tasksIn(turns: readonly TurnView[]): readonly Task[] {
  const endings = new Map<string, z.infer<typeof Ending>['payload']>();
  for (const block of turns.flatMap(({ events }) => events)) {
    const ending = endingOf(block);
    if (ending && !endings.has(ending.task)) endings.set(ending.task, ending);
  }
  const cancelled = new Set(turns.flatMap(callsOf).flatMap(cancelledBy));
  return turns.flatMap((turn) =>
    callsOf(turn).flatMap((call): readonly Task[] => {
      const deferred = Deferred.safeParse(retOf(call)).data?.deferred;
      if (!deferred) return [];
      const { task: id, title } = deferred;
      const task = { id, title, tool: call.tool, turn, startedAt: call.request.at };
      const ending = endings.get(id);
      if (cancelled.has(id)) return [{ ...task, state: 'cancelled' }];
      if (!ending) return [{ ...task, state: 'running' }];
      return ending.ok
        ? [{ ...task, state: 'finished', ret: ending.ret }]
        : [{ ...task, state: 'failed', error: ending.error }];
    }),
  );
}

/** The task that an event ends. Undefined: another event. */
export function endedTask(block: Block): string | undefined {
  return endingOf(block)?.task;
}

/** The event of a turn that ends the task a call waits for. */
export function awaitedEnding({ events }: TurnView, request: Block): Block | undefined {
  const task = dataOf('external.call', request)?.task;
  return task === undefined ? undefined : events.find((event) => endedTask(event) === task);
}

function endingOf(block: Block) {
  return block.type === taskEvent ? Ending.safeParse(block.data).data?.payload : undefined;
}

function callsOf({ rounds }: TurnView): readonly CallView[] {
  return rounds.flatMap(({ calls }) => calls);
}

function cancelledBy(call: CallView): readonly string[] {
  const said = call.tool === 'react.tasks' ? Cancelled.safeParse(retOf(call)).data : undefined;
  return said ? [said.cancelled] : [];
}

function retOf({ result }: CallView): Json | undefined {
  return isJsonObject(result?.data) ? result.data['ret'] : undefined;
}
