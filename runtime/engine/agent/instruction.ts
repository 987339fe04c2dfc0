import type { JsonObject } from '../../base/json.ts';
import type { Protocol } from '../../channels/protocol/reply-piece.ts';
import type { Abilities } from './instruction-texts/abilities.ts';
import { channelProtocol } from './instruction-texts/channel-protocol.ts';
import { nativeProtocol } from './instruction-texts/native-protocol.ts';
import { objectProtocol } from './instruction-texts/object-protocol.ts';
import { sharedText } from './instruction-texts/shared-text.ts';
import { smallText } from './instruction-texts/small-text.ts';

/**
 * The text that teaches a model to work here. Versioned: the version goes into every `round.open`, so that a past
 * prompt can be rebuilt and any change of the text is a declared break of the cached prefix.
 */
const versions: Readonly<Record<Protocol, string>> = {
  channels: 'timeloom-21',
  'native-tools': 'timeloom-native-8',
  json: 'timeloom-object-8',
  plain: 'timeloom-object-8',
};

const protocolTexts: Readonly<Record<Protocol, (abilities: Abilities) => string>> = {
  channels: channelProtocol,
  'native-tools': nativeProtocol,
  json: objectProtocol,
  plain: objectProtocol,
};

const smallVersion = 'timeloom-small-3';

export type InstructionChoice = {
  readonly protocol: Protocol;
  /** Absent: the agent has exec tools. */
  readonly hasPrograms?: boolean;
  /** The agent has a small window. */
  readonly isSmall?: boolean;
};

export function instructionVersionOf({ protocol, isSmall }: InstructionChoice): string {
  return isSmall ? smallVersion : versions[protocol];
}

/**
 * The part of the system text that all agents of a protocol share. At most `systemTokensMax` tokens, and
 * `smallSystemTokensMax` in a small window.
 */
export function instructionOf({
  protocol,
  hasPrograms = true,
  isSmall = false,
}: InstructionChoice): string {
  const abilities = { hasPrograms };
  return isSmall
    ? smallText(protocol, abilities)
    : `${protocolTexts[protocol](abilities)}\n\n${sharedText(protocol, abilities)}`;
}

type Catalogues = Omit<InstructionChoice, 'protocol'> & {
  /** Absent: channels. */
  readonly protocol?: Protocol;
  readonly agent: string;
  /** Empty where the tools are offered beside the text. */
  readonly tools: string;
  readonly skills: string;
  readonly channels: readonly {
    readonly id: string;
    readonly format: string;
    readonly description: string;
  }[];
  /** JSON Schema that the `output` of `complete` must match. */
  readonly output?: JsonObject;
};

/** Protocol → agent's instruction → tools → skills. Sorted and stable, because the cache covers this prefix. */
export function systemText({
  protocol = 'channels',
  hasPrograms = true,
  isSmall = false,
  agent,
  tools,
  skills,
  channels,
  output,
}: Catalogues): string {
  const isNative = protocol === 'native-tools';
  return [
    instructionOf({ protocol, hasPrograms, isSmall }),
    declaredText(protocol, channels),
    output ? outputText(protocol, output) : '',
    agent === '' ? '' : `# Your task\n${agent}`,
    isNative ? '' : `# Tools\n${tools === '' ? 'none' : tools}`,
    skills === '' ? '' : `# Skills\n${skills}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function declaredText(protocol: Protocol, channels: Catalogues['channels']): string {
  if (channels.length === 0) return '';
  const isObject = protocol === 'json' || protocol === 'plain';
  const lines = channels.map(({ id, format, description }) => {
    const name = isObject ? `"${id}"` : `<channel:${id}>`;
    return `- ${name} (${format}): ${description}`;
  });
  return [isObject ? '# More keys' : '# More channels', ...lines].join('\n');
}

const citations =
  'What its strings cite goes beside them, in "_citations": [{"path": "/verdict", "sids": [1]}] (JSON pointers)';

function outputText(protocol: Protocol, output: JsonObject): string {
  if (protocol === 'native-tools') {
    return `# Structured output\nThe turn ends with a call of the tool complete, never with text alone. ${citations}.`;
  }
  return `# Structured output\ncomplete also carries "output", JSON of this schema. ${citations}:\n${JSON.stringify(output)}`;
}
