import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { Scope } from '../../../runtime/base/scope.ts';
import { protocols } from '../../../runtime/channels/protocol/reply-piece.ts';
import { type Area, type Gap, missing } from '../area.ts';
import { toFigure } from '../figure.ts';
import { openOurs } from './ours.ts';
import { installPeers, loadPeer, type OpenPeer, peers, type Turn } from './peer.ts';

const warmup = 600;
const rounds = 300;
const prompt = 'What is 2 + 3?';
const instruction = 'You are good with numbers. Use the tool to add.';

/** Processor time of one turn: a call of a tool, then the answer, from an instant model in another process. */
export const benchLoop: Area = async () => {
  await using scope = new Scope();
  const server = await startModel();
  scope.defer(() => stop(server.child));
  const urlOf = (path: string) => `http://127.0.0.1:${server.port}/${path}/v1`;
  const gaps: Gap[] = [];
  const turns = new Map<string, Turn>();
  const open = async (name: string, url: string, peer: () => Promise<OpenPeer>) => {
    try {
      turns.set(name, await checked(await (await peer())({ url, prompt, instruction })));
    } catch (error) {
      gaps.push(missing(name, error));
    }
  };
  for (const protocol of protocols) {
    const path = protocol === 'native-tools' ? 'native' : protocol;
    await open(protocol, urlOf(path), async () => openOurs(protocol, scope));
  }
  await installPeers().catch((error: unknown) => gaps.push(missing('other libraries', error)));
  for (const name of peers) await open(name, urlOf('native'), () => loadPeer(name));
  const costs = await measure(turns);
  await profile(turns.get('channels'));
  const figures = protocols.flatMap((protocol) =>
    peers.flatMap((name) => {
      const [ours, theirs] = [costs.get(protocol), costs.get(name)];
      if (ours === undefined || theirs === undefined) return [];
      const id = `loop.turn_${protocol}_vs_${name}`.replaceAll('-', '_');
      return [toFigure(id, { ours, theirs, unit: 'ms' })];
    }),
  );
  return { figures, missing: gaps };
};

/** Turns of all of them alternate, so that a busy machine slows each. */
async function measure(turns: ReadonlyMap<string, Turn>): Promise<ReadonlyMap<string, number[]>> {
  const costs = new Map([...turns.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < warmup + rounds; round += 1) {
    for (const [name, turn] of turns) {
      const before = process.cpuUsage();
      await turn();
      const { user, system } = process.cpuUsage(before);
      if (round >= warmup) costs.get(name)?.push((user + system) / 1_000);
    }
  }
  return costs;
}

/** `TIMELOOM_BENCH_PROFILE`: a folder for a processor profile of our turns, for `flame-graph.mjs`. */
async function profile(turn: Turn | undefined): Promise<void> {
  const folder = process.env['TIMELOOM_BENCH_PROFILE'];
  if (folder === undefined || turn === undefined) return;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 100 });
  await session.post('Profiler.start');
  for (let round = 0; round < rounds; round += 1) await turn();
  const { profile: recorded } = await session.post('Profiler.stop');
  session.disconnect();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'loop.cpuprofile'), JSON.stringify(recorded));
}

async function checked(turn: Turn): Promise<Turn> {
  const text = await turn();
  if (text !== 'It is 5.') throw new Error(`the turn answered ${JSON.stringify(text)}`);
  return turn;
}

async function startModel() {
  const file = join(import.meta.dirname, 'model-server.mjs');
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line: readonly unknown[] = await once(child.stdout, 'data');
  return { child, port: Number(line[0]) };
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill();
  await closed;
}
