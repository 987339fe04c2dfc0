import type { JsonObject } from '../../base/json.ts';
import type { Scope } from '../../base/scope.ts';
import { assertRoom } from '../../engine/agent/prompt-room.ts';
import {
  createBackgroundQueue,
  type SystemParts,
  systemJobs,
} from '../../engine/background/system-jobs.ts';
import type { AgentHold, Engine } from '../../engine/ports/engine.ts';
import { type Gateway, openGateway } from '../../gateway/gateway.ts';
import type { GatewayDeps, Presence } from '../../gateway/ports/gateway-deps.ts';
import type { AuthMode } from '../../gateway/ports/tokens.ts';
import type { JobQueue } from '../../sdk/compile/host/bundle-host.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import {
  LiveProjects,
  type ProjectSurface,
  type ServedProjects,
  surfacesIn,
} from './live-projects.ts';
import { openWorker } from './open-worker.ts';
import { followProps } from './props-follower.ts';

export type Ports = Pick<
  GatewayDeps,
  'store' | 'storage' | 'userSecrets' | 'jobs' | 'blobs' | 'bus' | 'clock' | 'ids' | 'log'
> &
  Pick<Engine, 'spending' | 'memory'> &
  Pick<NonNullable<SystemParts['upkeep']>, 'blobs'>;

export type RuntimeParts = {
  readonly projects: ServedProjects;
  /** Id of the default bundle; undefined: the first one. */
  readonly first?: string;
  readonly model: Engine['model'];
  /** Absent: turns name no models. */
  readonly models?: GatewayDeps['models'];
  /** Absent: memory is searched by keywords only. */
  readonly embedder?: Embedder | undefined;
  readonly auth: AuthMode;
  /** Undefined: the gateway's default for every user. */
  readonly limits?: GatewayDeps['limits'];
  readonly files?: GatewayDeps['files'];
  readonly surfaces?: readonly ProjectSurface[];
  readonly dispatch?: GatewayDeps['dispatch'];
  readonly evals?: GatewayDeps['evals'];
  readonly checkBundle?: GatewayDeps['checkBundle'];
  /** Maximum concurrent conversations of the worker; undefined: the worker's default. */
  readonly turnsMax?: Engine['turnsMax'];
  readonly listen: { readonly host: string; readonly port: number };
  readonly externalAgents?: Engine['externalAgents'];
  /** Roles of this process; in a fleet, gateways and workers are separate. Absent: both. */
  readonly roles?: Roles;
  /** When idle conversations are deleted. Absent: never. */
  readonly retention?: NonNullable<SystemParts['kept']>['retention'] | undefined;
  /** Where the runtime's own jobs are enqueued. Absent: turns are not recorded. */
  readonly queue?: JobQueue;
  /** Clients and turns enter it. */
  readonly presence?: Presence;
  health(): JsonObject;
  /** For `/metrics`. */
  metrics?(): Readonly<Record<string, number>>;
};

export type Roles = { readonly worker: boolean; readonly gateway: boolean };

export type Runtime = {
  readonly gateway: Gateway | undefined;
  readonly worker: ReturnType<typeof openWorker> | undefined;
  readonly projects: LiveProjects;
  /** The runtime's own jobs. */
  readonly system: ReturnType<typeof systemJobs>;
};

/** Fault `CONTEXT_TOO_SMALL`. */
export function assertRooms(bundles: readonly RuntimeBundle[]): void {
  for (const agent of bundles.flatMap((bundle) => bundle.agents)) assertRoom(agent);
}

/** Opens worker and gateway over the given ports, owned by `scope`. Servers, tests and demos share it. */
export async function openRuntime(
  ports: Ports,
  parts: RuntimeParts,
  scope: Scope,
): Promise<Runtime> {
  const { surfaces = [] } = parts;
  const { first, model, models: named, roles = { worker: true, gateway: true } } = parts;
  assertRooms(parts.projects.flatMap(({ bundles }) => bundles));
  const failed = (error: unknown) => ports.log.error('disposing of a bundle failed', { error });
  const projects = scope.own(new LiveProjects(parts.projects, { first, failed }));
  const { signal } = new AbortController();
  for (const { place, agents } of projects.all)
    scope.own(followProps({ ...ports, place, bundles: () => agents.bundles }, { signal }));
  const { home, others } = projects;
  const engine: Engine = {
    ...ports,
    worker: ports.ids.next('worker'),
    turnsMax: parts.turnsMax,
    dispatch: parts.dispatch,
    model,
    ...(named ? { openModel: (ref: string) => named.openNamed(ref) } : {}),
    externalAgents: parts.externalAgents,
    showsProviderErrors: parts.auth.mode === 'dev',
    ...(parts.embedder ? { embedder: parts.embedder } : {}),
    background: parts.queue && createBackgroundQueue(parts.queue, home.place),
    agent: (choice, project) => projects.engage(choice, project),
    hold: (project) => held(projects.hold(project), parts.presence),
  };
  const { retention } = parts;
  const places = projects.all.map(({ place }) => place);
  const system = systemJobs(engine, {
    ...(retention && { kept: { places, retention } }),
    upkeep: { ...ports, tenants: places.map(({ tenant }) => tenant) },
  });
  const worker = roles.worker
    ? openWorker({ ...engine, storage: ports.storage }, scope)
    : undefined;
  if (!roles.gateway) return { gateway: undefined, worker, projects, system };
  const gateway = await openGateway(
    {
      ...ports,
      auth: parts.auth,
      dispatch: parts.dispatch,
      models: named,
      evals: parts.evals,
      checkBundle: parts.checkBundle,
      ...(parts.limits ? { limits: parts.limits } : {}),
      ...(parts.files ? { files: parts.files } : {}),
      ...(parts.presence ? { presence: parts.presence } : {}),
      surfaces: surfacesIn(surfaces, home.place),
      scope: home.place,
      bundles: home.agents.directory,
      projects: others.map(({ place, agents }) => ({
        ...{ scope: place, bundles: agents.directory, surfaces: surfacesIn(surfaces, place) },
      })),
      ...(parts.metrics ? { metrics: () => parts.metrics?.() ?? {} } : {}),
      health: () => ({ ...parts.health(), ...(worker ? { busy: worker.busy } : {}) }),
    },
    parts.listen,
  );
  return { gateway: scope.own(gateway), worker, projects, system };
}

/** The agents of one worker's tenure of a conversation, which counts as somebody's presence. */
function held(hold: AgentHold, presence: Presence | undefined): AgentHold {
  const here = presence?.enter();
  const release = () => {
    here?.[Symbol.dispose]();
    hold[Symbol.dispose]();
  };
  return { agent: (choice) => hold.agent(choice), [Symbol.dispose]: release };
}
