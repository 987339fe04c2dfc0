import type { LoadedBundle } from '../../adapters/bundles/load.ts';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Path } from '../../sdk/compile/validate/parse-yaml.ts';
import type { AgentOptions } from '../../sdk/define/agent.ts';
import type { Bundle, BundleDefinition } from '../../sdk/define/bundle.ts';
import { isDefinition } from '../../sdk/define/definition.ts';
import { sourceName } from './bundle-sources.ts';
import type { Descriptors } from './descriptors.ts';

/** A loaded bundle with the operator's settings. */
export type ConfiguredBundle = LoadedBundle & {
  readonly props: JsonObject;
  readonly agents: Readonly<Record<string, AgentOptions>>;
  /** MCP servers that are not connected. Agents may still list their tools, which are then absent. */
  readonly disabledServers: readonly string[];
};

type Entry = NonNullable<Descriptors['bundles']>['bundles'][number];

/**
 * Applies `bundles.yaml` to the loaded bundles. Throws Fault `CONFIG_INVALID` with every entry that does not match a
 * bundle, by file and line.
 */
export function configureBundles(
  loaded: readonly LoadedBundle[],
  { bundles, bundleSecrets, place }: Pick<Descriptors, 'bundles' | 'bundleSecrets' | 'place'>,
): readonly ConfiguredBundle[] {
  const problems: string[] = [];
  const addProblem = (path: Path, what: string) =>
    problems.push(`${place('bundles.yaml', path)}: ${what}`);
  const ids = loaded.map(({ definition }) => definition.id);
  const there = `loaded bundles: ${ids.join(', ')}`;
  if (bundles?.default !== undefined && !ids.includes(bundles.default)) {
    addProblem(['default'], `bundle “${bundles.default}” not found; ${there}`);
  }
  for (const [index, entry] of (bundles?.bundles ?? []).entries()) {
    const found = loaded.find(({ definition }) => definition.id === entry.id);
    const at = ['bundles', index];
    if (found) check(entry, found.definition, (path, what) => addProblem([...at, ...path], what));
    else
      addProblem([...at, 'id'], `bundle “${entry.id}” not found in ${sourceName(entry)}; ${there}`);
  }
  for (const { id: bundle, secret } of loaded.flatMap(userSecretsIn)) {
    if (bundleSecrets[bundle]?.[secret] === undefined) continue;
    const where = place('bundles.secrets.yaml', [bundle, secret]);
    problems.push(`${where}: each user sets “${secret}”; remove it from this file`);
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

function check(entry: Entry, bundle: Bundle, addProblem: (path: Path, what: string) => void): void {
  if (!isDefinition('bundle', bundle)) return;
  const agents = (bundle.agents ?? []).map(({ id }) => id);
  for (const id of Object.keys(entry.agents ?? {})) {
    if (agents.includes(id)) continue;
    addProblem(
      ['agents', id],
      `agent “${id}” of “${bundle.id}” not found; its agents: ${agents.join(', ')}`,
    );
  }
  const parts = [...new Set(optionalParts(bundle))];
  for (const [index, name] of (entry.disable ?? []).entries()) {
    if (parts.includes(name)) continue;
    const choice = parts.length > 0 ? `; parts that can be disabled: ${parts.join(', ')}` : '';
    addProblem(['disable', index], `“${name}” of “${bundle.id}” cannot be disabled${choice}`);
  }
}

/** The parts that a bundle also works without. */
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
