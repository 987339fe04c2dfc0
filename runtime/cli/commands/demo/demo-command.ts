import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../base/package-root.ts';
import { Scope } from '../../../base/scope.ts';
import { connect } from '../../../client/connect.ts';
import { type Environment, environment } from '../../config/config.ts';
import { Screen } from '../../terminal/screen.ts';
import { runConversation } from './demo-conversation.ts';
import { readWeather } from './demo-data.ts';
import { reportTimeline } from './demo-report.ts';
import { type DemoServer, startServer } from './demo-server.ts';

type Options = { readonly signal: AbortSignal };

/** `timeloom demo`: shows one conversation on real data with a real server. */
export async function demo(args: readonly string[], { signal }: Options): Promise<number> {
  const { port } = parseArgs({
    args: [...args],
    options: { port: { type: 'string', default: '0' } },
  }).values;
  const weather = readWeather();
  const { stdout } = process;
  const colour = stdout.isTTY && stdout.hasColors();
  const columns = stdout.isTTY ? stdout.columns : undefined;
  const screen = new Screen({ colour, columns, write: (text) => void stdout.write(text) });
  await using scope = new Scope();
  const dataDir = await mkdtemp(join(tmpdir(), 'timeloom-demo-'));
  scope.defer(() => rm(dataDir, { recursive: true, force: true }));
  const model = environment()['TIMELOOM_MODEL'];
  const server = await openServer({ dataDir, port, model, screen }, { signal });
  try {
    await using client = connect({ url: server.ready.url, user: 'demo' });
    await runConversation({ client, screen, weather, scripted: model === undefined });
  } catch (error) {
    const log = server.log();
    if (log !== '') screen.line('log', log, 'yellow');
    throw error;
  } finally {
    await server[Symbol.asyncDispose]();
  }
  // The server must release the data directory before it is read.
  await reportTimeline({ dataDir, screen, signal });
  return 0;
}

type DemoOptions = {
  readonly dataDir: string;
  readonly port: string;
  /** Undefined: a scripted model. */
  readonly model: string | undefined;
  readonly screen: Screen;
};

async function openServer(place: DemoOptions, options: Options): Promise<DemoServer> {
  const { screen, model, dataDir } = place;
  screen.heading('Timeloom: one conversation, end to end');
  const first = await startServer(environmentFor(place, model ?? scriptOf('demo')), options);
  const { url, sandbox, sandbox_missing } = first.ready;
  screen.line('server', `${url} (embedded database in ${dataDir})`);
  screen.line('model', model ?? 'scripted; set TIMELOOM_MODEL and an API key to use a real model');
  if (sandbox !== null) {
    screen.line('programs', `run in the ${sandbox} sandbox`);
    return first;
  }
  const because = sandbox_missing ?? 'switched off by TIMELOOM_EXEC_MODE';
  screen.line('programs', `skipped: ${because}`, 'yellow');
  if (model !== undefined) return first;
  await first[Symbol.asyncDispose]();
  return await startServer(environmentFor(place, scriptOf('demo-without-programs')), options);
}

function scriptOf(name: string): string {
  return `scripted:${join(packageRoot(), 'bundles/analyst', `${name}.yaml`)}`;
}

/** The environment without the settings of other installations on this machine. */
function environmentFor({ dataDir, port }: DemoOptions, model: string): Environment {
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
