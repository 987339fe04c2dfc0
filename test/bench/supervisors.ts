import { type Desk, openDesk, removeBuilt } from '../integration/supervisors/kit.ts';
import { openWorld } from '../runtime/tools/kit.ts';
import type { Area } from './area.ts';
import { type Figure, toFigure } from './figure.ts';

const rounds = 15;
const calls = 160;

/** What a call of a bundle's tool costs in a process of its own, beside the same call in the worker. */
export const benchSupervisors: Area = async () => {
  await using separate = await openDesk({ where: 'separate' });
  await using inWorker = await openDesk({ where: 'in_worker' });
  const figures = [
    await compare('supervisors.call_separate_vs_in_worker', 1, { separate, inWorker }),
    await compare('supervisors.calls_16_separate_vs_in_worker', 16, { separate, inWorker }),
  ];
  await removeBuilt();
  return { figures };
};

async function compare(
  id: string,
  depth: number,
  { separate, inWorker }: { separate: Desk; inWorker: Desk },
): Promise<Figure> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const measured = [await microseconds(separate, depth), await microseconds(inWorker, depth)];
    // The first is for warming up.
    if (round === 0) continue;
    ours.push(measured[0] ?? Number.NaN);
    theirs.push(measured[1] ?? Number.NaN);
  }
  return toFigure(id, { ours, theirs, unit: 'µs' });
}

/** For one of the calls, `depth` of them at the same time. */
async function microseconds(desk: Desk, depth: number): Promise<number> {
  const world = await openWorld();
  const tool = desk.tool('add');
  const context = await world.contextOf(tool, { a: 1 });
  const began = performance.now();
  for (let made = 0; made < calls; made += depth) {
    const together = Array.from({ length: depth }, () => {
      const { signal } = new AbortController();
      return tool.run({ a: 1, b: 2 }, { ...context, signal });
    });
    await Promise.all(together);
  }
  return ((performance.now() - began) * 1_000) / calls;
}
