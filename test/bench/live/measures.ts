import { setTimeout } from 'node:timers/promises';
import { type Figure, median, toFigure } from '../figure.ts';
import type { LiveModel, LiveServer } from './processes.ts';
import {
  deltaChars,
  endStreams,
  lagsOf,
  openReaders,
  openStreams,
  percentile,
  type Reader,
} from './readers.ts';

export type Stage = {
  readonly ours: LiveServer;
  readonly bare: LiveServer;
  readonly model: LiveModel;
};

/** Streams run this long before they are measured. */
const settleMs = 500;
/** Whose conversations several clients follow. */
export const owner = 'ann';

/** From sending a message to its acknowledgement, once it is durable; the turns alternate. */
export async function acknowledgement(
  { ours, bare, model }: Stage,
  { messages }: { messages: number },
): Promise<readonly Figure[]> {
  await model.tell('instant');
  const sides = await Promise.all([ours, bare].map((server) => openReaders(server, 1)));
  const times: number[][] = [[], []];
  for (let n = -10; n < messages; n += 1) {
    for (const [side, [reader]] of sides.entries()) {
      if (!reader) continue;
      const ended = reader.ended();
      const startedMs = performance.now();
      await reader.send('Hello.');
      if (n >= 0) times[side]?.push(performance.now() - startedMs);
      await ended;
    }
  }
  for (const reader of sides.flat()) reader[Symbol.dispose]();
  const [mine = [], theirs = []] = times;
  return [toFigure('live.acknowledgement_vs_insert', { ours: mine, theirs, unit: 'ms' })];
}

type Run = { readonly usPerDelta: number; readonly lagP99Ms: number };

/** Processor time of the server for each delta that reaches a client, and how late the slowest are. */
export async function deltas(
  { ours, bare, model }: Stage,
  { streams, windowMs, rounds }: { streams: number; windowMs: number; rounds: number },
): Promise<readonly Figure[]> {
  const runs: { ours: Run[]; bare: Run[] } = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const server of [ours, bare]) {
      runs[server.name].push(await deltaRun(server, model, { streams, windowMs }));
    }
  }
  const of = (key: keyof Run) => ({
    ours: runs.ours.map((run) => run[key]),
    theirs: runs.bare.map((run) => run[key]),
  });
  return [
    toFigure(`live.delta_${streams}_streams_vs_bare_loop`, { ...of('usPerDelta'), unit: 'µs' }),
    toFigure(`live.lag_p99_${streams}_streams_vs_bare_loop`, { ...of('lagP99Ms'), unit: 'ms' }),
  ];
}

async function deltaRun(
  server: LiveServer,
  model: LiveModel,
  { streams, windowMs }: { streams: number; windowMs: number },
): Promise<Run> {
  const readers = await openStreams(server, model, { count: streams });
  await model.tell('run');
  await setTimeout(settleMs);
  const before = { cpuMs: server.cpuMs(), chars: charsOf(readers) };
  for (const reader of readers) reader.lagsMs = [];
  await setTimeout(windowMs);
  const cpuMs = server.cpuMs() - before.cpuMs;
  const read = (charsOf(readers) - before.chars) / deltaChars;
  const lagP99Ms = percentile(lagsOf(readers), 0.99);
  await endStreams(readers, model);
  return { usPerDelta: (cpuMs * 1_000) / read, lagP99Ms };
}

/** From sending a steer to the closed connection of the provider, while other streams run. */
export async function steer(
  { ours, bare, model }: Stage,
  { steers, others }: { steers: number; others: number },
): Promise<readonly Figure[]> {
  const times: number[][] = [[], []];
  while ((times[1]?.length ?? 0) < steers) {
    for (const [side, server] of [ours, bare].entries()) {
      const readers = await openStreams(server, model, { count: others * 2 });
      await model.tell('run');
      await setTimeout(settleMs);
      for (const reader of readers.slice(others)) {
        const ended = reader.ended();
        const closed = model.closed();
        const startedMs = performance.timeOrigin + performance.now();
        await reader.send('', { kind: 'steer', ...conversationOf(reader) });
        times[side]?.push((await closed) - startedMs);
        await ended;
      }
      await endStreams(readers.slice(0, others), model);
      for (const reader of readers) reader[Symbol.dispose]();
    }
  }
  const [mine = [], theirs = []] = times;
  const p99 = { ours: [percentile(mine, 0.99)], theirs: [percentile(theirs, 0.99)] };
  return [
    toFigure('live.steer_p50_vs_abort', { ours: mine, theirs, unit: 'ms' }),
    { ...toFigure('live.steer_p99_vs_abort', { ...p99, unit: 'ms' }), n: mine.length },
  ];
}

function conversationOf({ conversation }: Reader): object {
  return conversation === undefined ? {} : { conversation_id: conversation };
}

/** Bytes of an idle client in the server. */
export async function idleClients(
  { ours, bare, model }: Stage,
  { clients }: { clients: number },
): Promise<readonly Figure[]> {
  await model.tell('instant');
  const [mine = [], theirs = []] = await Promise.all(
    [ours, bare].map(async (server) => {
      const conversation = await finished(server);
      const connect = async (count: number) => {
        const readers = await openReaders(server, count, owner);
        if (conversation !== undefined) {
          await Promise.all(readers.map((reader) => reader.subscribe(conversation, { tail: 1 })));
        }
        await setTimeout(settleMs);
        return readers;
      };
      // What the first connections load stays.
      const first = await connect(clients / 10);
      const before = await server.memoryBytes();
      const readers = await connect(clients);
      const kib = ((await server.memoryBytes()) - before) / clients / 1_024;
      for (const reader of [...first, ...readers]) reader[Symbol.dispose]();
      return [kib];
    }),
  );
  const figure = toFigure('live.idle_client_vs_bare_socket', {
    ours: mine,
    theirs,
    unit: 'KiB in use',
  });
  return [{ ...figure, n: clients }];
}

/** A conversation with one finished turn. Undefined for the bare server, which keeps none. */
async function finished(server: LiveServer): Promise<string | undefined> {
  const [reader] = await openReaders(server, 1, owner);
  if (!reader || server.name === 'bare') return undefined;
  const ended = reader.ended();
  await reader.send('Hello.');
  await ended;
  reader[Symbol.dispose]();
  return reader.conversation;
}

function charsOf(readers: readonly Reader[]): number {
  return readers.reduce((sum, { chars }) => sum + chars, 0);
}

/** Bytes that a client gets after a pause, beside the bytes that another one got meanwhile. */
export async function reconnect(
  { ours, model }: Stage,
  { pauses, missedMs }: { pauses: number; missedMs: number },
): Promise<readonly Figure[]> {
  const resent: number[] = [];
  const missed: number[] = [];
  const [source] = await openStreams(ours, model, { count: 1, user: owner });
  const conversation = source?.conversation ?? '';
  await model.tell('run');
  for (let pause = 0; pause < pauses; pause += 1) {
    const readers = (await openReaders(ours, 3, owner)).map((reader) => reader.keep());
    const [leaving, staying, back] = readers;
    if (!leaving || !staying || !back) throw new Error('not connected');
    for (const reader of [leaving, staying]) await reader.subscribe(conversation, { after: 'now' });
    await leaving.until(staying.last.end + 1);
    leaving[Symbol.dispose]();
    const { cursor: after, end: beyond } = leaving.last;
    await setTimeout(missedMs);
    const upTo = staying.last.end;
    await back.subscribe(conversation, { after });
    await back.until(upTo);
    resent.push(back.bytes({ beyond: -1, upTo }));
    missed.push(staying.bytes({ beyond, upTo }));
    for (const reader of [staying, back]) reader[Symbol.dispose]();
  }
  await endStreams(source ? [source] : [], model);
  const figure = toFigure('live.resent_vs_missed', { ours: resent, theirs: missed, unit: 'bytes' });
  return [{ ...figure, ratio: median(resent.map((bytes, at) => bytes / (missed[at] ?? 1))) }];
}
