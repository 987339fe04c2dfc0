import type { Context } from 'hono';
import { Refusal } from '../../base/refusal.ts';
import type { BundleDirectory } from '../ports/bundle-directory.ts';

/** An agent, as a message names it. */
export type AgentName = { readonly bundle_id: string; readonly agent_id: string };

/**
 * The agent that a path or a model name means: `bundle/agent`, an agent of the default bundle, or a bundle for its
 * first agent. Refusal `not_found`.
 */
export function agentNamed(
  bundles: Pick<BundleDirectory, 'default' | 'agent'>,
  name: string,
): AgentName {
  const parts = name.split('/');
  const [first = '', second] = parts;
  const candidates =
    second === undefined
      ? [{ bundle: bundles.default().bundle, agent: first }, { bundle: first }]
      : [{ bundle: first, agent: second }];
  for (const { bundle, agent } of parts.length > 2 ? [] : candidates) {
    const found = bundles.agent(bundle, agent);
    if (found !== undefined) return { bundle_id: bundle, agent_id: found };
  }
  throw new Refusal('not_found', `agent "${name.slice(0, 200)}" not found`);
}

/** The agent of a path with `:bundle/:agent`, or with `:agent` alone. Refusal `not_found`. */
export function agentInPath(
  { req }: Context,
  bundles: Pick<BundleDirectory, 'default' | 'agent'>,
): AgentName {
  const [bundle, agent = ''] = [req.param('bundle'), req.param('agent')];
  return agentNamed(bundles, bundle === undefined ? agent : `${bundle}/${agent}`);
}

/** The names of all agents; those of the default bundle also have a short one, which is not listed. */
export function agentNames(bundles: Pick<BundleDirectory, 'bundles'>): readonly string[] {
  return bundles.bundles().flatMap(({ id, agents }) => agents.map((agent) => `${id}/${agent}`));
}
