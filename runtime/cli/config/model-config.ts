import type { ProviderAccess } from '../../adapters/models/open-models.ts';
import {
  type ModelChoice,
  type PackagedProvider,
  packagedProviders,
  type RoleName,
  refOf,
} from '../../sdk/define/model.ts';
import type { Descriptors } from './descriptors.ts';
import type { SecretValues } from './secrets.ts';
import { serviceUrl } from './service-url.ts';

/** The installation's models, and the addresses and keys of their providers. */
export type ModelConfig = {
  readonly model: string | undefined;
  /** The installation's settings for the model of each role. */
  readonly models: Readonly<Partial<Record<RoleName, ModelChoice>>>;
  /** `<provider>:<model>` of the embedding model; undefined: memory is searched by keywords only. */
  readonly embeddings: string | undefined;
  readonly anthropicApiKey: string | undefined;
  readonly anthropicBaseUrl: string | undefined;
  readonly openaiApiKey: string | undefined;
  readonly openaiBaseUrl: string | undefined;
  /** Keys and addresses of the providers that are reached through a package of the AI SDK. */
  readonly packaged: Readonly<Partial<Record<PackagedProvider, ProviderAccess>>>;
};

type Sources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly descriptors: Pick<Descriptors, 'assembly'>;
  readonly secrets: SecretValues;
  readonly problems: string[];
};

export function toModelConfig({ env, descriptors, secrets, problems }: Sources): ModelConfig {
  const { models = {}, embeddings } = descriptors.assembly;
  const set = (name: string) => env[name] || undefined;
  const key = (name: string) => secrets.platform(name) ?? set(name);
  const url = (where: string) => serviceUrl({ text: set(where), where }, { of: 'model', problems });
  return {
    model: models.decision ? refOf(models.decision) : set('TIMELOOM_MODEL'),
    models,
    embeddings: embeddings ?? set('TIMELOOM_EMBEDDINGS'),
    anthropicApiKey: key('ANTHROPIC_API_KEY'),
    anthropicBaseUrl: url('ANTHROPIC_BASE_URL'),
    openaiApiKey: key('OPENAI_API_KEY'),
    openaiBaseUrl: url('OPENAI_BASE_URL'),
    packaged: Object.fromEntries(
      Object.entries(packagedProviders).map(([provider, { key: variable }]) => [
        provider,
        { apiKey: key(variable), baseUrl: url(`${provider.toUpperCase()}_BASE_URL`) },
      ]),
    ),
  };
}
