import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import type { AgentSettings, DeclaredChannel } from '../../contract/agent-settings.ts';
import {
  firstMessageCharsMax,
  firstMessagesMax,
  instructionCharsMax,
} from '../../contract/limits.ts';
import type { AgentDefinition } from '../../define/agent.ts';
import { readText } from '../validate/bundle-files.ts';
import { jsonSchemaProblems } from '../validate/json-schema-fit.ts';
import type { Problems } from '../validate/problems.ts';
import { toJsonSchema, toOutputSchema } from '../validate/zod-schema.ts';
import type { Toolbox } from './toolbox.ts';

type Home = {
  readonly toolbox: Toolbox;
  readonly knowledge?: KnowledgeSpace | undefined;
  readonly problems: Problems;
};

type FixedSettings = Pick<
  AgentSettings,
  'id' | 'bundle' | 'revision' | 'instruction' | 'channels'
> &
  Pick<AgentSettings, 'knowledge' | 'hooks' | 'output' | 'hint' | 'firstMessages'>;

/** The settings that neither operators nor servers change. */
export async function fixedSettings(agent: AgentDefinition, home: Home): Promise<FixedSettings> {
  const { loaded, hooks } = home.toolbox;
  const { output, channels = [] } = agent;
  const unfit = [
    ...(output ? [jsonSchemaProblems(output, `output of agent “${agent.id}”`)] : []),
    ...channels.map(({ id, schema }) =>
      schema ? jsonSchemaProblems(schema, `channel “${id}”`) : [],
    ),
  ];
  for (const problem of unfit.flat()) home.problems.add(problem);
  return {
    id: agent.id,
    bundle: loaded.definition.id,
    revision: loaded.revision,
    ...(home.knowledge ? { knowledge: home.knowledge } : {}),
    instruction: await instructionOf(agent, home),
    hooks: hooks.runtimeOf(agent.id),
    ...(typeof agent.hint === 'string' ? { hint: agent.hint } : {}),
    ...firstMessagesOf(agent, home.problems),
    channels: channelsOf(agent, home.problems),
    ...(output ? { output: toOutputSchema(output) } : {}),
  };
}

function firstMessagesOf(
  { id, firstMessages }: AgentDefinition,
  problems: Problems,
): Pick<AgentSettings, 'firstMessages'> {
  if (firstMessages === undefined) return {};
  const fits = (text: string) => text.trim() !== '' && text.length <= firstMessageCharsMax;
  if (firstMessages.length > firstMessagesMax || !firstMessages.every(fits)) {
    problems.add(
      `agent “${id}”: firstMessages must be at most ${firstMessagesMax} texts of 1 to ${firstMessageCharsMax} characters`,
    );
  }
  return { firstMessages };
}

async function instructionOf(agent: AgentDefinition, home: Home): Promise<string> {
  const { instruction, id } = agent;
  const { loaded } = home.toolbox;
  try {
    const text =
      typeof instruction === 'string' ? instruction : await readText(loaded.dir, instruction.file);
    if (text.length > instructionCharsMax) {
      home.problems.add(
        `agent “${id}”: its instruction has more than ${instructionCharsMax} characters`,
      );
    }
    return text.trim();
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    home.problems.add(`agent “${id}”: ${because}`);
    return '';
  }
}

const reserved = new Set([
  ...['thinking', 'reactdecisionoutv2', 'decision', 'action', 'code', 'canvas'],
  ...['timeline_text', 'internal', 'summary', 'answer', 'subsystem'],
]);

function channelsOf(agent: AgentDefinition, problems: Problems): readonly DeclaredChannel[] {
  const channels = agent.channels ?? [];
  for (const [index, { id }] of channels.entries()) {
    const at = `agent “${agent.id}”: channel “${id}”`;
    if (!/^[a-z][a-z0-9_-]*$/.test(id)) problems.add(`${at} must have a lower-case name`);
    if (reserved.has(id.toLowerCase())) problems.add(`${at} is reserved`);
    if (channels.findIndex((other) => other.id === id) !== index) {
      problems.add(`${at} is declared twice`);
    }
  }
  return channels.map(({ id, format, description, schema }) => ({
    id,
    format,
    description,
    ...(schema ? { schema: toJsonSchema(schema) } : {}),
  }));
}
