import { nearestFirst } from '../../../base/nearest.ts';
import { AgentAnswer } from '../../../tools/ports/agent-answer.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';
import { adoptSources } from '../../../tools/results/adopt-sources.ts';
import type { BundleDefinition } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import { runnerOf } from '../../define/runner.ts';
import type { ToolDefinition } from '../../define/tool.ts';

/** Reasons why a delegating tool can never work, one sentence each. Empty for other tools. */
export function delegationProblems(
  { id, run, output }: ToolDefinition,
  { agents = [] }: BundleDefinition,
): readonly string[] {
  const spec = runnerOf(run);
  if (spec?.kind !== 'delegate') return [];
  const found: string[] = [];
  const { agent: name, rounds } = spec;
  const agent = agents.find((each) => each.id === name);
  // Another bundle may be loaded later, and decides for itself.
  if (!agent && !isOfOtherBundle(name)) {
    const [nearest, ...others] = nearestFirst(
      name,
      agents.map((each) => each.id),
    );
    const rest = others.length > 0 ? ` (and ${others.join(', ')})` : '';
    found.push(
      `tool “${id}” delegates to the unknown agent “${name}”; did you mean ${nearest}${rest}?`,
    );
  }
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    found.push(`tool “${id}” delegates for ${rounds} rounds; rounds must be a whole number from 1`);
  }
  if (isDefinition('agent', agent) && output && !agent.output) {
    found.push(`tool “${id}” has an output, but its agent “${name}” has none`);
  }
  return found;
}

/** `bundle/agent` */
function isOfOtherBundle(name: string): boolean {
  return /^[^/]+\/[^/]+$/.test(name);
}

/** The result of a delegated call. Its cited sources join the sources of this conversation. */
export async function agentResult(
  { output: declared }: ToolDefinition,
  given: unknown,
  { services }: CallContext,
): Promise<unknown> {
  const said = AgentAnswer.parse(given);
  const { answer, output, cited } = await adoptSources(said, services);
  if (declared) return output;
  const { conversation, files } = said;
  return {
    answer,
    conversation,
    ...(output === undefined ? {} : { output }),
    ...(files.length > 0 ? { files } : {}),
    ...(cited.length > 0 ? { sources: cited } : {}),
  };
}
