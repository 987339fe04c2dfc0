import { parseArgs } from 'node:util';
import { Fault } from '../../base/fault.ts';
import { Scope } from '../../base/scope.ts';
import { type Config, environment, readConfig } from '../config/config.ts';
import { openServer, type Server } from '../server/open-server.ts';
import type { Roles } from '../wiring/open-runtime.ts';
import { WorkerProcesses, workerCount } from '../workers/worker-processes.ts';

type Waits = { readonly signal: AbortSignal };

/** `timeloom serve`: everything until a signal stops it, in one process or with worker processes beside the gateway. */
export function serve(args: readonly string[], options: Waits): Promise<number> {
  return run(args, options, { worker: true, gateway: true });
}

/** `timeloom worker`: runs turns, without a port. */
export function worker(args: readonly string[], options: Waits): Promise<number> {
  return run(args, options, { worker: true, gateway: false });
}

/** `timeloom gateway`: web page and API only; workers elsewhere run the turns. */
export function gateway(args: readonly string[], options: Waits): Promise<number> {
  return run(args, options, { worker: false, gateway: true });
}

async function run(
  args: readonly string[],
  { signal: stopped }: Waits,
  roles: Roles,
): Promise<number> {
  const { port, host, attached, 'ready-json': readyJson } = optionsOf(args, roles);
  const config = readConfig({
    ...environment(),
    ...(port === undefined ? {} : { TIMELOOM_PORT: port }),
    ...(host === undefined ? {} : { TIMELOOM_HOST: host }),
  });
  assertShared(config, roles);
  await using scope = new Scope();
  const parts = processesOf(config, roles);
  const signal = attached === true ? untilInputEnds(stopped) : stopped;
  await new Promise<void>((resolve, reject) => {
    const serving = openServer(config, { scope, signal, ...parts, onLost: reject });
    serving.then((server) => {
      const json = `${JSON.stringify(server.ready)}\n`;
      process.stdout.write(readyJson === true ? json : greeting(server));
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    }, reject);
  });
  return 0;
}

/** Whether turns run in this process or in worker processes. */
function processesOf(config: Config, roles: Roles) {
  if (!roles.worker || !roles.gateway) return { roles };
  const count = workerCount(config);
  if (count === 0) return { roles };
  return { roles: { ...roles, worker: false }, workers: new WorkerProcesses(count) };
}

/** Also aborts when the program that started this one has ended. */
function untilInputEnds(stopped: AbortSignal): AbortSignal {
  const stop = new AbortController();
  const abort = () => {
    stop.abort();
    // An open input would keep the process alive.
    process.stdin.destroy();
  };
  if (stopped.aborted) abort();
  stopped.addEventListener('abort', abort, { once: true });
  process.stdin.once('close', abort).resume();
  return stop.signal;
}

/** A process without a gateway has no port and no host; only such a process can be attached to another one. */
function optionsOf(args: readonly string[], { gateway: hasGateway }: Roles) {
  const ready = { 'ready-json': { type: 'boolean' } } as const;
  if (!hasGateway)
    return {
      ...parseArgs({
        args: [...args],
        options: { ...ready, attached: { type: 'boolean' } },
      }).values,
      port: undefined,
      host: undefined,
    };
  const options = { ...ready, port: { type: 'string' }, host: { type: 'string' } } as const;
  const { port, host, ...values } = parseArgs({ args: [...args], options }).values;
  if (port === '') throw new Fault('CONFIG_INVALID', { because: '--port requires a number' });
  if (host === '') throw new Fault('CONFIG_INVALID', { because: '--host requires an address' });
  return { ...values, port, host, attached: false };
}

/** A single role is half of a fleet, and the halves share database and Redis. */
function assertShared({ databaseUrl, redisUrl }: Config, roles: Roles): void {
  if ((roles.worker && roles.gateway) || (databaseUrl && redisUrl)) return;
  const because =
    'worker and gateway are separate processes that share a database and Redis: set DATABASE_URL and REDIS_URL';
  throw new Fault('CONFIG_INVALID', { because });
}

const noModel = 'none: set TIMELOOM_MODEL; scripted:./script.yaml needs no API key';

export function greeting({ url, ready }: Server): string {
  const { sandbox, sandbox_missing, model, bundles, workers } = ready;
  return [
    url === '' ? 'Timeloom worker is running' : `Timeloom is running at ${url}`,
    `  model     ${model === 'none' ? noModel : model}`,
    `  bundles   ${bundles.join(', ')}`,
    `  programs  ${sandbox ?? `off: ${sandbox_missing ?? 'switched off'}`}`,
    ...(workers ? [`  workers   ${workers.configured}, each in its own process`] : []),
    '  Press Ctrl-C to stop.\n',
  ].join('\n');
}
