import { Duplex, PassThrough } from 'node:stream';
import { type Handlers, Peer } from '../../../supervisor/bundle-process/rpc/peer.ts';

/** Both ends of one stream. */
export function streamPair(): readonly [Duplex, Duplex] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [
    Duplex.from({ readable: back, writable: there }),
    Duplex.from({ readable: there, writable: back }),
  ];
}

/** Two peers that serve each other; `ended` is how following each of them ends. */
export function openPeers(handlers: Handlers, own: Handlers = new Map()) {
  const [here, there] = streamPair();
  const [asking, serving] = [new Peer(here, own), new Peer(there, handlers)];
  const ended = [asking.follow({ patient: false }), serving.follow({ patient: true })].map(
    (following) => following.then(() => undefined).catch((error: Error) => error),
  );
  const close = async () => {
    here.end();
    there.end();
    await Promise.all(ended);
  };
  return { asking, serving, here, there, ended, [Symbol.asyncDispose]: close };
}
