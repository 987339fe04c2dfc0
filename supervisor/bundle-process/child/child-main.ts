import { Socket } from 'node:net';
import { residentMbMax } from '../rpc/limits.ts';
import { Peer } from '../rpc/peer.ts';
import { Offers } from '../rpc/streams.ts';
import { BundleRunner } from './bundle-runner.ts';
import { Generations } from './remote-host.ts';
import { guardProcess } from './watchdog.ts';

/**
 * The process in which the tools of one bundle run: the worker, which started it, is on descriptor 3. Descriptor 4
 * says nothing; it ends with the worker.
 */
async function main(): Promise<void> {
  guardProcess({ descriptor: 4, bytesMax: residentMbMax * 1024 * 1024 });
  const offers = new Offers();
  const generations = new Generations();
  const performer = new BundleRunner({ offers, generations });
  const handlers = [offers, generations, performer].flatMap((each) => [...each.handlers()]);
  const peer = new Peer(new Socket({ fd: 3 }), new Map(handlers));
  await peer.follow({ patient: false });
}

await main();
process.exit(0);
