import { Socket } from 'node:net';
import { residentMbMax } from '../rpc/limits.ts';
import { Peer } from '../rpc/peer.ts';
import { Offers } from '../rpc/streams.ts';
import { BundleRunner } from './bundle-runner.ts';
import { Generations } from './remote-host.ts';
import { guardProcess } from './watchdog.ts';

/**
 * The process that runs the tools of one bundle. Descriptor 3 is connected to the worker that started it. Descriptor 4
 * carries no data; it closes when the worker ends.
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
