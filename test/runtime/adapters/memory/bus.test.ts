import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { busContract } from '../../../contract/bus.ts';

busContract('memory', async () => {
  const bus = openMemoryBus();
  return { near: bus, far: bus, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
});
