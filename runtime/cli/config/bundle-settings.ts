import type { LoadedBundle } from '../../adapters/bundles/load.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Path } from '../../sdk/compile/validate/parse-yaml.ts';
import type { AgentOptions } from '../../sdk/define/agent.ts';
import type { Bundle, BundleDefinition } from '../../sdk/define/bundle.ts';
import { isDefinition } from '../../sdk/define/definition.ts';
import type { Descriptors } from './descriptors.ts';

/** A bundle as the operator wants it. */
export type ConfiguredBundle = LoadedBundle & {
  readonly props: JsonObject;
  readonly agents: Readonly<Record<string, AgentOptions>>;
  /** MCP servers that are not to be reached. Agents may still list their tools: they have none. */
  readonly disabledServers: readonly string[];
};

type Entry = NonNullable<Descriptors['bundles']>['bundles'][number];

/**
 * The loaded bundles as `bundles.yaml` sets them. Fault `CONFIG_INVALID` with everything in it that fits none of them,
 * by file and line.
 */
export function configureBundles(
  loaded: readonly LoadedBundle[],
  { bundles, bundleSecrets, place }: Pick<Descriptors, 'bundles' | 'bundleSecrets' | 'place'>,
): readonly ConfiguredBundle[] {
  const problems: string[] = [];
  const tell = (path: Path, what: string) =>
    problems.push(`${place('bundles.yaml', path)}: ${what}`);
  const ids = loaded.map(({ definition }) => definition.id);
  const there = `there are: ${ids.join(', ')}`;
  if (bundles?.default !== undefined && !ids.includes(bundles.default)) {
    tell(['default'], `there is no bundle “${bundles.default}”; ${there}`);
  }
  for (const [index, entry] of (bundles?.bundles ?? []).entries()) {
    const found = loaded.find(({ definition }) => definition.id === entry.id);
    const at = ['bundles', index];
    if (found) check(entry, found.definition, (path, what) => tell([...at, ...path], what));
    else tell([...at, 'id'], `${entry.path} holds no bundle “${entry.id}”; ${there}`);
  }
  for (const { id: bundle, secret } of loaded.flatMap(userSecretsIn)) {
    if (bundleSecrets[bundle]?.[secret] === undefined) continue;
    const where = place('bundles.secrets.yaml', [bundle, secret]);
    problems.push(`${where}: “${secret}” is set by each user; remove it from this file`);
  }
  if (problems.length > 0)
    throw new Fault('CONFIG_INVALID', { because: `\n  ${problems.join('\n  ')}`, problems });
  return loaded.map((each) => {
    const entry = bundles?.bundles.find(({ id }) => id === each.definition.id);
    const { props = {}, agents = {}, disable = [] } = entry ?? {};
    const disabledServers = serversOf(each.definition).filter((id) =>
      disable.includes(`mcp.${id}`),
    );
    return {
      ...each,
      definition: withoutParts(each.definition, disable),
      props,
      agents,
      disabledServers,
    };
  });
}

function check(entry: Entry, bundle: Bundle, tell: (path: Path, what: string) => void): void {
  if (!isDefinition('bundle', bundle)) return;
  const agents = (bundle.agents ?? []).map(({ id }) => id);
  for (const id of Object.keys(entry.agents ?? {})) {
    if (agents.includes(id)) continue;
    tell(['agents', id], `“${bundle.id}” has no agent “${id}”; there are: ${agents.join(', ')}`);
  }
  const parts = [...new Set(optionalParts(bundle))];
  for (const [index, name] of (entry.disable ?? []).entries()) {
    if (parts.includes(name)) continue;
    const choice = parts.length > 0 ? `; what can be: ${parts.join(', ')}` : '';
    tell(['disable', index], `“${name}” of “${bundle.id}” cannot be disabled${choice}`);
  }
}

/** What can be left out of a bundle and leaves it whole. */
function optionalParts(bundle: BundleDefinition): readonly string[] {
  const { widgets = [], events = [], operations = [], jobs = [], mcp } = bundle;
  return [
    ...widgets.map(({ id }) => `widgets.${id}`),
    ...events.map(({ kind }) => `events.${kind}`),
    ...operations.map(({ id }) => `operations.${id}`),
    ...jobs.map(({ id }) => `jobs.${id}`),
    ...[...(mcp?.use ?? []), ...(mcp?.expose ?? [])].map(({ id }) => `mcp.${id}`),
  ];
}

function userSecretsIn({ definition: bundle }: LoadedBundle) {
  const secrets = isDefinition('bundle', bundle) ? (bundle.secrets ?? []) : [];
  const own = secrets.filter((secret) => isDefinition('secret', secret) && secret.for === 'user');
  return own.map(({ id: secret }) => ({ id: bundle.id, secret }));
}

function serversOf(bundle: Bundle): readonly string[] {
  return isDefinition('bundle', bundle) ? (bundle.mcp?.use ?? []).map(({ id }) => id) : [];
}

function withoutParts(bundle: Bundle, names: readonly string[]): Bundle {
  if (names.length === 0 || !isDefinition('bundle', bundle)) return bundle;
  const { widgets = [], events = [], operations = [], jobs = [], mcp } = bundle;
  const expose = mcp?.expose?.filter(({ id }) => !names.includes(`mcp.${id}`));
  const left: BundleDefinition = {
    ...bundle,
    widgets: widgets.filter(({ id }) => !names.includes(`widgets.${id}`)),
    events: events.filter(({ kind }) => !names.includes(`events.${kind}`)),
    operations: operations.filter(({ id }) => !names.includes(`operations.${id}`)),
    jobs: jobs.filter(({ id }) => !names.includes(`jobs.${id}`)),
    ...(expose ? { mcp: { ...mcp, expose } } : {}),
  };
  return left;
}
