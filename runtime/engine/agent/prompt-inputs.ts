import type { Protocol } from '../../channels/protocol/reply-piece.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import { hasSmallWindow } from '../../sdk/contract/small-window.ts';
import { lastPrompted } from '../../timeline/prompt-rounds.ts';
import { changedInputs } from '../../timeline/render/cache-break.ts';
import { type PromptForm, rendererVersions } from '../../timeline/render/form.ts';
import { countRepeatedTokens } from '../../timeline/tokens.ts';
import type { View } from '../../timeline/view.ts';
import { catalogText, skillCatalogText } from '../../tools/definition/tool-catalog.ts';
import type { Engine } from '../ports/engine.ts';
import { instructionVersionOf, systemText } from './instruction.ts';
import { offeredTools } from './offer.ts';
import { hasPrograms, withProgram } from './program-parameter.ts';
import { hashOf } from './prompt-hash.ts';
import { chooseProtocol, type ProtocolChoice, toRoundData } from './protocol-choice.ts';

/** The inputs of every prompt of an agent that do not come from the log. */
export function inputsOf(engine: Engine, agent: AgentSettings, choice: ProtocolChoice) {
  const { catalogue, hash, offerHash } = systemOf(agent, choice.protocol);
  const as = formFor(engine, agent);
  return {
    renderer: rendererVersions[as],
    ...(as === 'messages' ? { form: as } : {}),
    instruction: instructionVersionOf({
      protocol: choice.protocol,
      isSmall: hasSmallWindow(agent),
    }),
    model: engine.model(agent, agent.decides).id,
    ...toRoundData(choice),
    catalogue,
    hashes: { system: hash, ...(offerHash === undefined ? {} : { offer: offerHash }) },
  };
}

/** The agent's choice, else the one of its model. */
function formFor(engine: Engine, agent: AgentSettings): PromptForm['as'] {
  if (agent.promptForm !== 'auto') return agent.promptForm;
  return engine.model(agent, agent.decides).promptForm ?? 'text';
}

/** The protocol of the next round. */
export function protocolOf(
  engine: Pick<Engine, 'model'>,
  agent: AgentSettings,
  view: Pick<View, 'turns' | 'openTurn'>,
): ProtocolChoice {
  const { id, abilities, protocol } = engine.model(agent, agent.decides);
  const model = {
    id,
    ...(abilities === undefined ? {} : { abilities }),
    ...(protocol === undefined ? {} : { protocol }),
  };
  const { malformed } = agent.policies;
  return chooseProtocol(view, { ...model, option: agent.protocol, malformed });
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
 * The system text and the tools offered beside it, and the hash of both catalogues, which separates a change of tools or
 * skills from any other change.
 */
type System = {
  readonly text: string;
  /** Of the text and the offered tools. Counted when needed: the tokenizer takes time and memory to load. */
  readonly tokens: number;
  /** UTF-8 bytes of both: never fewer than tokens. */
  readonly bytes: number;
  readonly hash: string;
  /** Undefined: no tools are offered beside the text. */
  readonly offerHash: string | undefined;
  readonly catalogue: string;
};
const systems = new WeakMap<AgentSettings, Map<Protocol, System>>();

/** The same settings object gives the same bytes: the text is built once per revision of an agent and protocol. */
export function systemOf(agent: AgentSettings, protocol: Protocol = 'channels'): System {
  const known = systems.get(agent) ?? new Map<Protocol, System>();
  systems.set(agent, known);
  const made = known.get(protocol) ?? buildSystem(agent, protocol);
  known.set(protocol, made);
  return made;
}

function buildSystem(agent: AgentSettings, protocol: Protocol): System {
  const offer = protocol === 'native-tools' ? offeredTools(agent) : undefined;
  const specs = agent.tools.map(({ spec }) => (protocol === 'channels' ? spec : withProgram(spec)));
  const tools = offer ? '' : catalogText(specs);
  const skills = skillCatalogText(
    agent.skills
      .filter((skill) => !skill.hidden)
      .map((skill) => ({ ...skill, id: skill.id.replace(/^sk:/, '') })),
  );
  const text = systemText({
    protocol,
    hasPrograms: hasPrograms(agent),
    isSmall: hasSmallWindow(agent),
    agent: agent.instruction,
    tools,
    skills,
    channels: agent.channels,
    ...(agent.output ? { output: agent.output.schema } : {}),
  });
  let tokens: number | undefined;
  return {
    text,
    get tokens() {
      tokens ??= countRepeatedTokens(text) + countRepeatedTokens(offer?.text ?? '');
      return tokens;
    },
    bytes: Buffer.byteLength(text) + Buffer.byteLength(offer?.text ?? ''),
    hash: hashOf(Buffer.from(text)),
    offerHash: offer && hashOf(Buffer.from(offer.text)),
    catalogue: hashOf(Buffer.from(`${offer?.text ?? tools}\n${skills}`)),
  };
}
