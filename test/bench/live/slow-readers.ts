import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { packetsWaitingMax } from '../../../runtime/gateway/socket/limits.ts';
import { type Figure, toFigure } from '../figure.ts';
import { owner, type Stage } from './measures.ts';
import {
  allRead,
  endStreams,
  lagsOf,
  openReaders,
  openStreams,
  percentile,
  type Reader,
} from './readers.ts';
import { SlowPoller } from './slow-poller.ts';

export type SlowSizes = {
  readonly conversations: number;
  readonly quick: number;
  readonly slow: number;
  readonly windowMs: number;
  readonly rounds: number;
};

type Run = { readonly lagP99Ms: number; readonly loopP99Ms: number };

/**
 * The lag of quick readers beside slow ones and without them, in alternating order, and how late the clients themselves
 * are. Half of the slow ones stop reading from the network: the server sends to them for as long as the kernel takes it.
 * The others stop polling: the server keeps what they would get.
 */
export async function slowReaders(stage: Stage, sizes: SlowSizes): Promise<readonly Figure[]> {
  const runs: { beside: Run[]; without: Run[] } = { beside: [], without: [] };
  for (let round = 0; round < sizes.rounds; round += 1) {
    const order =
      round % 2 === 0 ? (['without', 'beside'] as const) : (['beside', 'without'] as const);
    for (const side of order) {
      runs[side].push(
        await quickRun(stage, { ...sizes, slow: side === 'beside' ? sizes.slow : 0 }),
      );
    }
  }
  const of = (key: keyof Run) => ({
    ours: runs.beside.map((run) => run[key]),
    theirs: runs.without.map((run) => run[key]),
    unit: 'ms',
  });
  return [
    toFigure('live.quick_p99_with_slow_vs_without', of('lagP99Ms')),
    toFigure('live.quick_client_loop_p99_with_slow_vs_without', of('loopP99Ms')),
  ];
}

async function quickRun({ ours, model }: Stage, sizes: SlowSizes): Promise<Run> {
  const sources = await openStreams(ours, model, { count: sizes.conversations, user: owner });
  const conversations = sources.map(({ conversation = '' }) => conversation);
  const follow = async (count: number) => {
    const readers = await openReaders(ours, count, owner);
    await eachOf(readers, conversations, (reader, conversation) =>
      reader.subscribe(conversation, { after: 'now' }),
    );
    return readers;
  };
  const quick = await follow(sizes.quick);
  const paused = await follow(Math.floor(sizes.slow / 2));
  for (const reader of paused) reader.pause();
  const pollers = await Promise.all(
    Array.from({ length: Math.ceil(sizes.slow / 2) }, () => SlowPoller.open(ours, owner)),
  );
  await eachOf(pollers, conversations, (poller, conversation) => poller.subscribe(conversation));
  await model.tell('run');
  // Subscriptions begin after their acknowledgement: the first messages are late. Then the queues of the pollers are full.
  await allRead(quick, packetsWaitingMax + 16);
  const run = await measure(quick, sizes.windowMs);
  for (const reader of [...quick, ...paused]) reader[Symbol.dispose]();
  await Promise.all(pollers.map((poller) => poller[Symbol.asyncDispose]()));
  await endStreams(sources, model);
  return run;
}

async function measure(quick: readonly Reader[], windowMs: number): Promise<Run> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  for (const reader of quick) reader.lagsMs = [];
  loop.enable();
  await setTimeout(windowMs);
  loop.disable();
  return { lagP99Ms: percentile(lagsOf(quick), 0.99), loopP99Ms: loop.percentile(99) / 1e6 };
}

/** All clients at once, evenly over the conversations. */
async function eachOf<T>(
  clients: readonly T[],
  conversations: readonly string[],
  act: (client: T, conversation: string) => Promise<void>,
): Promise<void> {
  await Promise.all(
    clients.map((client, at) => act(client, conversations[at % conversations.length] ?? '')),
  );
}
