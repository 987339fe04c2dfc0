import { openLog } from '../../adapters/system/log.ts';
import { Fault } from '../../base/fault.ts';
import type { Scope } from '../../base/scope.ts';
import { loadConfiguredBundles } from '../bundles/open-bundles.ts';
import type { ConfiguredBundle } from '../config/bundle-settings.ts';
import type { Config } from '../config/config.ts';
import { Models, openConfiguredEmbedder } from '../models/models.ts';
import { openTools } from '../sandbox/open-tools.ts';
import { LiveJobs } from '../wiring/live-jobs.ts';
import { openPorts } from '../wiring/open-ports.ts';
import { assertRooms, openRuntime, type Roles } from '../wiring/open-runtime.ts';
import { gatewayOptions } from './gateway-options.ts';
import { callersIn, createProjects, withSystem } from './open-projects.ts';
import { serverFacts, type WorkersBeside } from './server-facts.ts';
import { openStoreSocket } from './store-socket.ts';

type Waits = { readonly signal: AbortSignal };

/** `url` is empty for a process without a gateway. */
export type Server = {
  readonly url: string;
  readonly ready: Ready;
  /**
   * Loads the bundles again, which serve from the next turn on, and returns their revisions. On any error, the previous
   * bundles continue to serve.
   */
  reload(): Promise<readonly string[]>;
};
type Ready = {
  readonly ready: true;
  readonly url: string;
  readonly sandbox: string | null;
  readonly sandbox_missing?: string;
  readonly model: string;
  readonly bundles: readonly string[];
  readonly workers?: WorkersBeside['health']['workers'];
};

type ServerOptions = Waits & {
  readonly scope: Scope;
  readonly roles?: Roles;
  /** The server starts them and owns them. */
  readonly workers?: WorkersBeside | undefined;
  /** Absent: loads the configured bundles. */
  readonly loadBundles?: () => ReturnType<typeof loadConfiguredBundles>;
  /** Called when another process has taken over the data directory; this process must end. */
  readonly onLost?: (fault: Error) => void;
};

/** Opens the server with everything that the configuration names; `scope` owns every part. */
export async function openServer(
  config: Config,
  { scope, signal, roles, workers, onLost, loadBundles }: ServerOptions,
): Promise<Server> {
  const log = scope.own(openLog({ level: config.logLevel }));
  const works = roles?.worker ?? true;
  const models = new Models(config, { log });
  await models.check();
  const ports = await openPorts(config, { ...(onLost && { onLost }), scope, log });
  scope.own(await openStoreSocket(config, ports));
  if (workers) scope.own(workers).start(ports);
  const load = loadBundles ?? (() => loadConfiguredBundles(config, { log, signal }));
  let configured = await load();
  await models.check(configured);
  const tools = await openTools(config, { ...ports, works, scope });
  const { sandbox, refusal, platform, executors, presence, externalAgents } = tools;
  const jobs = new LiveJobs(ports);
  const { storage, userSecrets, spending } = ports;
  const resources = { models, storage, userSecrets, spending, jobs: jobs.queue };
  const options = { platform, log, scope, signal, ...resources };
  const openProjects = createProjects(config, { ports, works, ...options });
  const projects = await openProjects(configured);
  executors.serve(projects.flatMap((project) => project.bundles));
  await models.open(callersIn(projects, works));
  const facts = serverFacts(config, { sandbox, refusal, bundles: projects[0].bundles });
  const own = { ...ports, scope, folderOf: (id: string) => folderIn(configured, id) };
  const first = config.descriptors.bundles?.default;
  const opened = await openRuntime(
    ports,
    {
      ...{ projects, models, queue: jobs.queue, retention: config.retention },
      ...(first === undefined ? {} : { first }),
      model: (agent, role) => models.of(agent, role),
      ...(works ? { embedder: await openConfiguredEmbedder(config) } : {}),
      ...(await gatewayOptions(config, { ...own, projects })),
      turnsMax: config.turnsMax,
      presence,
      externalAgents,
      health: () => ({ ...facts, ...workers?.health }),
      metrics: () => workers?.counts ?? {},
      ...(roles ? { roles } : {}),
    },
    scope,
  );
  if (works) await scope.own(jobs).serve(withSystem(projects, opened.system));
  if (config.model === undefined)
    log.warn('no model is configured', { fix: new Fault('MODEL_NOT_CONFIGURED').message });
  await workers?.ready({ signal });
  const url = opened.gateway?.url ?? '';
  const reload = async () => {
    const reloaded = await load();
    await models.check(reloaded);
    const next = await openProjects(reloaded);
    const all = next.flatMap((project) => project.bundles);
    try {
      assertRooms(all);
      await models.open(callersIn(next, works));
    } catch (error) {
      await Promise.all(all.map((bundle) => bundle.dispose()));
      throw error;
    }
    if (works) await jobs.serve(withSystem(next, opened.system));
    opened.projects.replace(next);
    executors.serve(all);
    configured = reloaded;
    return next[0].bundles.map(({ revision }) => revision);
  };
  const ready = { ...facts, ...workers?.health, model: config.model ?? 'none' };
  return { url, ready: { ready: true, url, ...ready }, reload };
}

function folderIn(bundles: readonly ConfiguredBundle[], id: string): string | undefined {
  return bundles.find(({ definition }) => definition.id === id)?.dir;
}
