import type { JsonObject } from '../../base/json.ts';
import {
  createToolNames,
  finalToolName,
  type ToolNames,
} from '../../channels/protocol/tool-names.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import { listedParams } from '../../tools/definition/listed-params.ts';
import { returnsLines, traitsText } from '../../tools/definition/tool-catalog.ts';
import type { ToolSpec } from '../../tools/ports/tool.ts';
import type { Phase } from '../plan/plan-ask.ts';
import type { ModelOffer, ToolOffer } from '../ports/model.ts';
import { multiActionOf } from './multi-action.ts';
import { withProgram } from './program-parameter.ts';
import { shownTools, type VisibleAgent } from './visible-agent.ts';

type OfferedTools = {
  readonly names: ToolNames;
  readonly tools: readonly ToolOffer[];
  /** The tools as they are hashed and stored. */
  readonly text: string;
};
const offered = new WeakMap<AgentSettings, OfferedTools>();

/** The tools of an agent for a provider's tool calling, sorted by id. The same settings object gives the same offer. */
export function offeredTools(agent: AgentSettings & Partial<VisibleAgent>): OfferedTools {
  const known = offered.get(agent);
  if (known !== undefined) return known;
  const specs = shownTools(agent).map(({ spec }) => spec);
  const { tools: all } = agent.whole ?? agent;
  const names = createToolNames(all.map(({ spec }) => spec.id));
  const isJudged = multiActionOf(agent, 'native-tools') === 'safe_fanout';
  const sorted = specs.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const tools = [
    ...sorted.map((spec) => toOffer(spec, { names, isJudged })),
    ...(agent.output ? [finalTool(agent.output.schema)] : []),
  ];
  const text = JSON.stringify(tools);
  const made = { names, tools, text };
  offered.set(agent, made);
  return made;
}

export type Asking = {
  readonly phase: Phase;
  readonly cause?: string | undefined;
  /** The structured output is forced now. */
  readonly forcesOutput?: boolean;
};

/**
 * The offer of one round. A finalize round has no tools to call; only a steer leaves rounds for control tools. An agent
 * with a structured output needs its final tool in every round.
 */
export function offerOf(
  agent: AgentSettings,
  { phase, cause, forcesOutput = false }: Asking,
): ModelOffer {
  const { tools } = offeredTools(agent);
  if (agent.output) return { tools, choice: forcesOutput ? { tool: finalToolName } : 'auto' };
  return { tools, choice: phase === 'finalize' && cause !== 'steer' ? 'none' : 'auto' };
}

/** `isJudged`: traits decide which calls may share a reply. */
function toOffer(
  spec: ToolSpec,
  { names, isJudged }: { readonly names: ToolNames; readonly isJudged: boolean },
): ToolOffer {
  const traits = isJudged ? [`traits: ${traitsText(spec)}`] : [];
  return {
    name: names.nameOf(spec.id),
    // A program that calls the tool, too, must know what it returns.
    description: [spec.description.trim(), ...traits, ...returnsLines(spec)].join('\n'),
    schema: listed(withProgram(spec).parameters),
  };
}

/** Without the parameters that the catalogue leaves out. */
function listed(schema: JsonObject): JsonObject {
  const { $schema: _dialect, ...rest } = schema;
  return { ...rest, type: 'object', properties: listedParams(rest) };
}

/** Ends the turn. Definitions move to the root, where references look for them. */
function finalTool({ $schema: _dialect, $defs, ...output }: JsonObject): ToolOffer {
  return {
    name: finalToolName,
    description:
      'Ends the turn with its structured output. Call it alone, when everything else is done.',
    schema: {
      type: 'object',
      properties: {
        output,
        final_answer: { type: 'string', description: 'What the user reads, in Markdown.' },
      },
      required: ['output'],
      ...($defs === undefined ? {} : { $defs }),
    },
  };
}
