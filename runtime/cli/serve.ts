import { parseArgs } from 'node:util';
import { systemClock } from '../adapters/system/clock.ts';
import { openLog } from '../adapters/system/log.ts';
import { Fault } from '../base/fault.ts';
import { Scope } from '../base/scope.ts';
import { type Config, readConfig } from './config.ts';
import { Models } from './models.ts';
import { openBundles } from './open-bundles.ts';
import { openPorts } from './open-ports.ts';
import { openRuntime } from './open-runtime.ts';
import { openSandbox } from './open-sandbox.ts';
import { platformTools } from './platform-tools.ts';
import { version } from './version.ts';

/** `timeloom serve`: everything in one process until a signal asks it to stop. */
export async function serve(
  args: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { 'ready-json': { type: 'boolean' } } });
  const config = readConfig();
  await using scope = new Scope();
  const server = await openServer(config, { scope, signal });
  process.stdout.write(
    values['ready-json'] === true ? `${JSON.stringify(server.ready)}\n` : greeting(server),
  );
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return 0;
}

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
  { scope, signal }: { scope: Scope; signal: AbortSignal },
): Promise<Server> {
  const log = scope.own(openLog({ level: config.logLevel }));
  const ports = await openPorts(config, { scope, log });
  const { sandbox, refusal } = await openSandbox({
    mode: config.execMode,
    dockerHost: config.dockerHost,
    blobs: ports.blobs,
    clock: systemClock,
    log,
    scope,
  });
  const platform = platformTools({ sandbox, refusal, ...ports });
  const models = new Models(config);
  const bundles = await openBundles(config, { platform, log, scope, signal, models });
  await models.open(bundles.flatMap((bundle) => bundle.agents));
  const facts = {
    version: version(),
    model: config.model ?? null,
    sandbox: sandbox?.backend ?? null,
    ...(refusal === undefined ? {} : { sandbox_missing: refusal }),
    bundles: bundles.map(({ id }) => id),
  };
  const first = config.descriptors.bundles?.default;
  const { gateway } = await openRuntime(
    ports,
    {
      place: { tenant: config.tenant, project: config.project },
      bundles,
      ...(first === undefined ? {} : { first }),
      model: (agent, role) => models.of(agent, role),
      auth: config.auth,
      messagesPerMinute: config.messagesPerMinute,
      listen: { host: config.host, port: config.port },
      health: () => facts,
    },
    scope,
  );
  if (config.model === undefined)
    log.warn('no model is configured', { fix: new Fault('MODEL_NOT_CONFIGURED').message });
  const { url } = gateway;
  return { url, ready: { ready: true, url, ...facts, model: config.model ?? 'none' } };
}

function greeting({ url, ready }: Server): string {
  const { sandbox, sandbox_missing, model, bundles } = ready;
  return [
    `Timeloom is at ${url}`,
    `  model     ${model}`,
    `  bundles   ${bundles.join(', ')}`,
    `  programs  ${sandbox ?? `off: ${sandbox_missing ?? 'switched off'}`}`,
    '  Ctrl-C stops it.\n',
  ].join('\n');
}
