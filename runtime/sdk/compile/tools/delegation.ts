import { isJsonObject, type Json } from '../../../base/json.ts';
import { nearestFirst } from '../../../base/nearest.ts';
import { renumberCitations } from '../../../channels/citations/citation-rewrite.ts';
import { AgentAnswer } from '../../../tools/ports/agent-answer.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';
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
  if (!agent) {
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

/** The result of a delegated call. Its cited sources join the sources of this conversation. */
export async function agentResult(
  { output: declared }: ToolDefinition,
  given: unknown,
  { services }: CallContext,
): Promise<unknown> {
  const { answer, output, sources, ...rest } = AgentAnswer.parse(given);
  const sids = new Map<number, number>();
  const cited = [];
  for (const { sid, ...row } of sources) {
    const [added] = await services.addSources([row]);
    if (!added) continue;
    sids.set(sid, added.sid);
    cited.push({ sid: added.sid, title: added.title, url: added.url });
  }
  const renumbered = (text: string) => renumberCitations(text, (sid) => sids.get(sid));
  const typed = output === undefined ? undefined : mapTexts(output, renumbered);
  if (declared) return typed;
  const { conversation, files } = rest;
  return {
    answer: renumbered(answer),
    conversation,
    ...(typed === undefined ? {} : { output: typed }),
    ...(files.length > 0 ? { files } : {}),
    ...(cited.length > 0 ? { sources: cited } : {}),
  };
}

/** Replaces every text in a value. */
function mapTexts(value: Json, to: (text: string) => string): Json {
  if (typeof value === 'string') return to(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, to));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, to)]));
}
