import { parseArgs } from 'node:util';
import { systemClock } from '../adapters/system/clock.ts';
import { openLog } from '../adapters/system/log.ts';
import { Fault } from '../base/fault.ts';
import { Scope } from '../base/scope.ts';
import { programKinds } from '../tools/exec/program-kinds.ts';
import { type Config, readConfig } from './config.ts';
import { openDoor } from './door.ts';
import { Models, openConfiguredEmbedder } from './models.ts';
import { openBundles } from './open-bundles.ts';
import { openPorts } from './open-ports.ts';
import { openRuntime, type Roles } from './open-runtime.ts';
import { openSandbox } from './open-sandbox.ts';
import { openServers } from './open-servers.ts';
import { platformTools } from './platform-tools.ts';
import { version } from './version.ts';

type Waits = { readonly signal: AbortSignal };

/** `timeloom serve`: everything in one process until a signal asks it to stop. */
export function serve(args: readonly string[], options: Waits): Promise<number> {
  return run(args, options, { worker: true, gateway: true });
}

/** `timeloom worker`: works on conversations, answers no door. */
export function worker(args: readonly string[], options: Waits): Promise<number> {
  return run(args, options, { worker: true, gateway: false });
}

/** `timeloom gateway`: the front door alone; workers elsewhere do what it takes in. */
export function gateway(args: readonly string[], options: Waits): Promise<number> {
  return run(args, options, { worker: false, gateway: true });
}

async function run(args: readonly string[], { signal }: Waits, roles: Roles): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { 'ready-json': { type: 'boolean' } } });
  const config = readConfig();
  assertShared(config, roles);
  await using scope = new Scope();
  const server = await openServer(config, { scope, signal, roles });
  process.stdout.write(
    values['ready-json'] === true ? `${JSON.stringify(server.ready)}\n` : greeting(server),
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return 0;
}

/** One role alone is half of a fleet: what the halves share cannot be inside one of them. */
function assertShared({ databaseUrl, redisUrl }: Config, roles: Roles): void {
  if ((roles.worker && roles.gateway) || (databaseUrl && redisUrl)) return;
  const because = 'worker and gateway are processes of a fleet: set DATABASE_URL and REDIS_URL';
  throw new Fault('CONFIG_INVALID', { because });
}

/** `url` is empty for a worker, which answers no door. */
export type Server = { readonly url: string; readonly ready: Ready };
type Ready = {
  readonly ready: true;
  readonly url: string;
  readonly sandbox: string | null;
  readonly sandbox_missing?: string;
  readonly model: string;
  readonly bundles: readonly string[];
};

/** The whole program over what the configuration names; `scope` owns every part. */
export async function openServer(
  config: Config,
  { scope, signal, roles }: Waits & { scope: Scope; roles?: Roles },
): Promise<Server> {
  const log = scope.own(openLog({ level: config.logLevel }));
  const works = roles?.worker ?? true;
  const ports = await openPorts(config, { scope, log });
  scope.own(await openDoor(config, ports));
  const { sandbox, refusal } = await openSandbox({
    // A door alone runs no programs and asks no model.
    mode: works ? config.execMode : 'off',
    dockerHost: config.dockerHost,
    pool: config.execPool,
    limits: config.execLimits,
    fargate: config.fargate,
    blobs: ports.blobs,
    clock: systemClock,
    log,
    scope,
  });
  const platform = platformTools({
    sandbox,
    refusal,
    ...ports,
    limits: config.execLimits.platform,
  });
  const models = new Models(config);
  const servers = openServers(config, { log, scope, works });
  const bundles = await openBundles(config, { platform, log, scope, signal, models, servers });
  sandbox?.keep?.(
    programKinds(
      bundles.flatMap((bundle) => bundle.agents),
      config.execLimits.platform,
    ),
  );
  if (works) await models.open(bundles.flatMap((bundle) => bundle.agents));
  const facts = {
    version: version(),
    model: config.model ?? null,
    sandbox: sandbox?.backend ?? null,
    ...(refusal === undefined ? {} : { sandbox_missing: refusal }),
    bundles: bundles.map(({ id }) => id),
  };
  const first = config.descriptors.bundles?.default;
  const opened = await openRuntime(
    ports,
    {
      place: { tenant: config.tenant, project: config.project },
      bundles,
      ...(first === undefined ? {} : { first }),
      model: (agent, role) => models.of(agent, role),
      ...(works ? { embedder: await openConfiguredEmbedder(config) } : {}),
      auth: config.auth,
      messagesPerMinute: config.messagesPerMinute,
      listen: { host: config.host, port: config.port },
      health: () => facts,
      ...(roles ? { roles } : {}),
    },
    scope,
  );
  if (config.model === undefined)
    log.warn('no model is configured', { fix: new Fault('MODEL_NOT_CONFIGURED').message });
  const url = opened.gateway?.url ?? '';
  return { url, ready: { ready: true, url, ...facts, model: config.model ?? 'none' } };
}

function greeting({ url, ready }: Server): string {
  const { sandbox, sandbox_missing, model, bundles } = ready;
  return [
    url === '' ? 'Timeloom works on what gateways take in' : `Timeloom is at ${url}`,
    `  model     ${model}`,
    `  bundles   ${bundles.join(', ')}`,
    `  programs  ${sandbox ?? `off: ${sandbox_missing ?? 'switched off'}`}`,
    '  Ctrl-C stops it.\n',
  ].join('\n');
}
