import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Refusal } from '../base/refusal.ts';
import { Scope } from '../base/scope.ts';
import { connect } from '../client/connect.ts';
import type { Client, Conversation, FileRef, TurnResult } from '../client/types.ts';
import { type Environment, environment } from './config.ts';
import { readWeather } from './demo-data.ts';
import { reportTimeline } from './demo-report.ts';
import { type DemoServer, startServer } from './demo-server.ts';
import { packageRoot } from './package-root.ts';
import { Screen } from './screen.ts';

const question =
  'Here is the weather of Seattle, day by day. How did the four years differ, and which months are the wettest? I would like a report to keep.';
const followup = 'And are the summers getting warmer?';
const secondQuestion = 'Which month was the wettest again, and what did you base that on?';
const outputDir = '.timeloom/demo';

type Options = { readonly signal: AbortSignal };

/** `timeloom demo`: one conversation on real data, through a real server, shown as it happens. */
export async function demo(args: readonly string[], { signal }: Options): Promise<number> {
  const { port } = parseArgs({
    args: [...args],
    options: { port: { type: 'string', default: '0' } },
  }).values;
  const weather = readWeather();
  const { stdout } = process;
  const colour = stdout.isTTY && stdout.hasColors();
  const screen = new Screen({ colour, write: (text) => void stdout.write(text) });
  await using scope = new Scope();
  const dataDir = await mkdtemp(join(tmpdir(), 'timeloom-demo-'));
  scope.defer(() => rm(dataDir, { recursive: true, force: true }));
  const server = await openServer({ dataDir, port, screen }, { signal });
  try {
    const user = 'demo';
    await using client = connect({ url: server.ready.url, user });
    await converse({ client, screen, weather });
  } finally {
    await server[Symbol.asyncDispose]();
  }
  // Nobody else may hold the data directory while it is read.
  await reportTimeline({ dataDir, screen, signal });
  return 0;
}

type Place = {
  readonly dataDir: string;
  readonly port: string;
  readonly screen: Screen;
};

async function openServer(place: Place, options: Options): Promise<DemoServer> {
  const { screen } = place;
  const outside = environment();
  const model = outside['TIMELOOM_MODEL'];
  screen.heading('Timeloom: one conversation, end to end');
  const first = await startServer(settings(place, model ?? scriptOf('demo')), options);
  const { url, sandbox, sandbox_missing } = first.ready;
  screen.line('server', `${url} (embedded database in ${place.dataDir})`);
  screen.line(
    'model',
    model ?? 'a script of the bundle; set TIMELOOM_MODEL and a key for a real one',
  );
  if (sandbox !== null) {
    screen.line('programs', `run in the ${sandbox} sandbox`);
    return first;
  }
  screen.line(
    'programs',
    `left out: ${sandbox_missing ?? 'switched off by TIMELOOM_EXEC_MODE'}`,
    'yellow',
  );
  if (model !== undefined) return first;
  await first[Symbol.asyncDispose]();
  return await startServer(settings(place, scriptOf('demo-without-programs')), options);
}

function scriptOf(name: string): string {
  return `scripted:${join(packageRoot(), 'bundles/analyst', `${name}.yaml`)}`;
}

/** The demo needs nothing: what an operator has set up for another installation stays out of it. */
function settings({ dataDir, port }: Place, model: string): Environment {
  const { DATABASE_URL: _, REDIS_URL: __, TIMELOOM_BLOBS: ___, ...rest } = environment();
  return {
    ...rest,
    TIMELOOM_CONFIG_DIR: dataDir,
    TIMELOOM_DATA_DIR: dataDir,
    TIMELOOM_PORT: port,
    TIMELOOM_AUTH: 'dev',
    TIMELOOM_BUNDLES: join(packageRoot(), 'bundles/analyst'),
    TIMELOOM_MODEL: model,
    TIMELOOM_LOG: 'warn',
  };
}

type Talk = {
  readonly client: Client;
  readonly screen: Screen;
  readonly weather: Uint8Array<ArrayBuffer>;
};

async function converse({ client, screen, weather }: Talk): Promise<void> {
  const conversation = client.conversation();
  const name = 'seattle-weather.csv';
  screen.heading('Turn one');
  screen.line('you', question, 'green');
  screen.line('file', `${name}, ${size(weather.byteLength)}`);
  const attachments = [{ name, mime: 'text/csv', data: weather }];
  const first = await say({ conversation, screen, text: question, attachments, followup });
  await deliver(client, screen, first.files);
  screen.heading('Turn two, in the same conversation');
  screen.line('you', secondQuestion, 'green');
  await say({ conversation, screen, text: secondQuestion });
}

type Saying = {
  readonly conversation: Conversation;
  readonly screen: Screen;
  readonly text: string;
  readonly attachments?: readonly { name: string; mime: string; data: Uint8Array<ArrayBuffer> }[];
  /** Said in mid-turn, when the first tool is at work. */
  readonly followup?: string;
};

/** One turn, shown as it comes, to its end. */
async function say({
  conversation,
  screen,
  text,
  attachments,
  followup,
}: Saying): Promise<TurnResult> {
  const turn = await conversation.send(text, attachments ? { attachments } : {});
  let late = followup;
  for await (const event of turn.events()) {
    screen.show(event);
    if (late === undefined || event.type !== 'chat.tool') continue;
    screen.line('you', `${late}  (while it works)`, 'green');
    await turn.followup(late);
    late = undefined;
  }
  const result = await turn.done();
  if (result.reason === 'completed') return result;
  const because = result.error?.message ?? result.reason;
  throw new Refusal('demo_failed', `the turn did not come to its end: ${because}`);
}

async function deliver(client: Client, screen: Screen, files: readonly FileRef[]): Promise<void> {
  const folder = resolve(outputDir);
  await mkdir(folder, { recursive: true });
  for (const { path, filename, size: bytes } of files) {
    const response = await client.fetch(path);
    const target = join(folder, basename(filename));
    await writeFile(target, new Uint8Array(await response.arrayBuffer()));
    screen.line('file', `${filename}, ${size(bytes)}: ${target}`);
  }
}

function size(bytes: number): string {
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000).toLocaleString('en')} kB`;
}
