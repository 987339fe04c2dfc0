import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import { lastPrompted } from '../../timeline/prompt-rounds.ts';
import { changedInputs } from '../../timeline/render/cache-break.ts';
import { type PromptForm, rendererVersions } from '../../timeline/render/form.ts';
import { countTokens } from '../../timeline/tokens.ts';
import type { View } from '../../timeline/view.ts';
import { catalogText, skillCatalogText } from '../../tools/definition/tool-catalog.ts';
import type { Engine } from '../ports/engine.ts';
import { instructionVersion, systemText } from './instruction.ts';
import { hashOf } from './prompt-hash.ts';

/** The inputs of every prompt of an agent that do not come from the log. */
export function inputsOf(engine: Engine, agent: AgentSettings) {
  const { catalogue, hash } = systemOf(agent);
  const as = formFor(engine, agent);
  return {
    renderer: rendererVersions[as],
    ...(as === 'messages' ? { form: as } : {}),
    instruction: instructionVersion,
    model: engine.model(agent, 'decision').id,
    catalogue,
    hashes: { system: hash },
  };
}

/** The agent's choice, else the one of its model. */
function formFor(engine: Engine, agent: AgentSettings): PromptForm['as'] {
  if (agent.promptForm !== 'auto') return agent.promptForm;
  return engine.model(agent, 'decision').promptForm ?? 'text';
}

/**
 * Whether the next prompt starts with other bytes, or goes to another model, than the last one of this conversation.
 */
export function isChanged({ turns }: View, inputs: ReturnType<typeof inputsOf>): boolean {
  const before = lastPrompted(turns)?.blocks[0];
  if (!before) return false;
  return changedInputs(before, { data: { round: 1, as_of: 0, ...inputs } }).length > 0;
}

/**
 * The system text, and the hash of the catalogues in it, which separates a change of tools or skills from any other
 * change.
 */
type System = {
  readonly text: string;
  readonly tokens: number;
  readonly hash: string;
  readonly catalogue: string;
};
const systems = new WeakMap<AgentSettings, System>();

/** The same settings object gives the same bytes: the text is built once per revision of an agent. */
export function systemOf(agent: AgentSettings): System {
  const known = systems.get(agent);
  if (known !== undefined) return known;
  const tools = catalogText(agent.tools.map((tool) => tool.spec));
  const skills = skillCatalogText(
    agent.skills
      .filter((skill) => !skill.hidden)
      .map((skill) => ({ ...skill, id: skill.id.replace(/^sk:/, '') })),
  );
  const text = systemText({
    agent: agent.instruction,
    tools,
    skills,
    channels: agent.channels,
    ...(agent.output ? { output: agent.output.schema } : {}),
  });
  const catalogue = hashOf(Buffer.from(`${tools}\n${skills}`));
  const made = { text, tokens: countTokens(text), hash: hashOf(Buffer.from(text)), catalogue };
  systems.set(agent, made);
  return made;
}
