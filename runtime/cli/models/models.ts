import { openEmbedder } from '../../adapters/models/open-embedder.ts';
import { openModel } from '../../adapters/models/open-models.ts';
import type { ModelSettings } from '../../adapters/models/providers/model-settings.ts';
import { Fault } from '../../base/fault.ts';
import { type Log, silentLog } from '../../base/log.ts';
import type { Model } from '../../engine/ports/model.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import { isDefinition } from '../../sdk/define/definition.ts';
import {
  isModelRef,
  type ModelChoice,
  modelRefForm,
  type RoleName,
  refOf,
} from '../../sdk/define/model.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import type { ConfiguredBundle } from '../config/bundle-settings.ts';
import type { Config } from '../config/config.ts';
import { modelsOf, settingsOf } from './model-choice.ts';

/** Models that turns may name beside the configured ones, until the process ends. */
const namedModelsMax = 100;

/** The bundle and agent that call a model, where known. */
type ModelCaller = {
  readonly bundle?: string | undefined;
  readonly agent?: string | undefined;
  /** Default: any project. */
  readonly tenant?: string;
  readonly project?: string;
};
type ProjectAgents = { readonly place: ProjectScope; readonly agents: readonly AgentSettings[] };

/**
 * Every model that an agent may use, opened before any traffic, so a missing key is reported at the start. Without a
 * configured model the server still starts, and each turn ends with Fault `MODEL_NOT_CONFIGURED`.
 */
export class Models {
  readonly #config: Config;
  readonly #log: Log;
  readonly #open = new Map<string, Model>();
  #projects: readonly ProjectAgents[] = [];
  #named = 0;

  constructor(config: Config, { log = silentLog }: { readonly log?: Log } = {}) {
    this.#config = config;
    this.#log = log;
  }

  /** Checks the model scripts that the installation, the bundles and `bundles.yaml` name. Fault `SCRIPT_INVALID`. */
  async check(bundles: readonly BundleModels[] = []): Promise<void> {
    const { model = '', models } = this.#config;
    const named = [...Object.values(models), ...bundles.flatMap(modelsNamedBy)].map(refOf);
    for (const ref of new Set([model, ...named])) {
      if (ref.startsWith('scripted:')) await openModel(ref);
    }
  }

  async open(projects: readonly ProjectAgents[]): Promise<void> {
    const access = accessOf(this.#config);
    for (const agent of projects.flatMap(({ agents }) => agents)) {
      for (const settings of modelsOf(this.#config, agent)) {
        // An open model is kept, so a script continues at its position when a bundle is reloaded.
        const key = keyOf(settings);
        if (!this.#open.has(key))
          this.#open.set(key, await openModel(settings, access, { log: this.#log }));
      }
    }
    this.#projects = projects;
  }

  /** The models that this installation names, each once. */
  refs(): readonly string[] {
    const { model, models } = this.#config;
    const named = [
      ...(model === undefined ? [] : [model]),
      ...Object.values(models).map(refOf),
      ...this.#projects
        .flatMap(({ agents }) => agents)
        .flatMap((agent) => modelsOf(this.#config, agent).map((each) => each.model)),
    ];
    return [...new Set(named)].toSorted();
  }

  /** Opens a model that a turn names instead of its agent's. Faults `MODEL_NOT_CONFIGURED`, `MODEL_KEY_MISSING`, `SCRIPT_INVALID`. */
  async openNamed(ref: string): Promise<void> {
    if (!isModelRef(ref)) {
      throw new Fault('MODEL_NOT_CONFIGURED', { because: `"${ref}" must be ${modelRefForm}` });
    }
    const settings = settingsOf(this.#config, { models: { decision: { model: ref } } }, 'decision');
    if (!settings || this.#open.has(keyOf(settings))) return;
    if (this.#named >= namedModelsMax) {
      const because = `more than ${namedModelsMax} models were named since the start`;
      throw new Fault('MODEL_NOT_CONFIGURED', { because });
    }
    this.#named += 1;
    const model = await openModel(settings, accessOf(this.#config), { log: this.#log });
    this.#open.set(keyOf(settings), model);
  }

  /** Throws Fault `MODEL_NOT_CONFIGURED` if neither the bundle nor the installation names a model. */
  of(agent: AgentSettings, role: RoleName): Model {
    const settings = settingsOf(this.#config, agent, role);
    const model = settings && this.#open.get(keyOf(settings));
    if (!model) throw new Fault('MODEL_NOT_CONFIGURED', { agent: agent.id, role });
    return model;
  }

  /** For `ctx.generate` of a bundle: the model of the calling agent, else of the bundle's first agent. */
  for({ bundle, agent, ...place }: ModelCaller, role: RoleName): Model {
    const own = this.#projects
      .filter((each) => isIn(each.place, place))
      .flatMap(({ agents }) => agents)
      .filter((each) => bundle === undefined || each.bundle === bundle);
    const caller = own.find(({ id }) => id === agent) ?? own[0];
    if (!caller) throw new Fault('MODEL_NOT_CONFIGURED', { bundle, role });
    return this.of(caller, role);
  }
}

function isIn(place: ProjectScope, { tenant, project }: Partial<ProjectScope>): boolean {
  return place.tenant === (tenant ?? place.tenant) && place.project === (project ?? place.project);
}

type BundleModels = Pick<ConfiguredBundle, 'definition' | 'agents'>;

function modelsNamedBy({ definition, agents }: BundleModels): readonly ModelChoice[] {
  const own = isDefinition('bundle', definition) ? (definition.agents ?? []) : [];
  const settings = [
    ...own.filter((agent) => isDefinition('agent', agent)),
    ...Object.values(agents),
  ];
  return settings.flatMap(({ models }) => Object.values(models ?? {}));
}

/** Equal settings share one model. */
function keyOf(settings: ModelSettings): string {
  return JSON.stringify(settings);
}

/** Undefined: no embedding model is configured, and memory is searched by keywords only. Throws the faults of `openEmbedder`. */
export async function openConfiguredEmbedder(config: Config): Promise<Embedder | undefined> {
  return config.embeddings === undefined
    ? undefined
    : await openEmbedder(config.embeddings, accessOf(config));
}

/** Keys and addresses of all providers. */
export function accessOf(config: Config) {
  return {
    ...defined('anthropicApiKey', config.anthropicApiKey),
    ...defined('anthropicBaseUrl', config.anthropicBaseUrl),
    ...defined('openaiApiKey', config.openaiApiKey),
    ...defined('openaiBaseUrl', config.openaiBaseUrl),
    packaged: config.packaged,
  };
}

function defined<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: string });
}
