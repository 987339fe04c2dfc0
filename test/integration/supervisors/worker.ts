import { openWorld, ret } from '../../runtime/tools/kit.ts';
import { openDesk } from './kit.ts';

/** A worker to be killed: says which processes it has, while one of them runs in a circle. */
async function main(): Promise<void> {
  const world = await openWorld();
  const desk = await openDesk();
  const own = ret(await world.perform(desk.tool('knows'), {}));
  const child = ret(await world.perform(desk.tool('spawns'), {}));
  const looping = world.perform(desk.tool('loops'), {}, { timeoutMs: 600_000 });
  console.log(JSON.stringify([own, child]));
  await looping;
}

await main();
