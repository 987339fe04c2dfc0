import { isJsonObject } from '../../base/json.ts';
import { type Protocol, protocols } from '../../channels/protocol/reply-piece.ts';
import type { AgentSettings, Policies } from '../../sdk/contract/agent-settings.ts';
import { lastPrompted } from '../../timeline/prompt-rounds.ts';
import type { TurnView, View } from '../../timeline/view.ts';
import { repairsDefault } from '../limits.ts';
import { brokenInRow } from '../plan/round-end.ts';
import type { Model, ModelAbilities } from '../ports/model.ts';

export type ProtocolChoice = {
  readonly protocol: Protocol;
  /** The protocol that the settings ask for, if replies in it were unusable too often. */
  readonly from?: Protocol;
  /** The protocol that follows if replies are unusable again. Absent: none. */
  readonly fallback?: Protocol;
};

type Choosing = Pick<Model, 'id' | 'abilities' | 'protocol'> & {
  /** The agent's option. */
  readonly option: AgentSettings['protocol'];
  readonly malformed: Policies['malformed'];
};

/**
 * The protocol of the next round: the agent's option, else the preference of the model's profile, else what the model
 * supports. After repeated violations the next one that it supports, which stays for the rest of the conversation.
 */
export function chooseProtocol(
  { turns, openTurn }: Pick<View, 'turns' | 'openTurn'>,
  { option, malformed, protocol: preferred, abilities, id }: Choosing,
): ProtocolChoice {
  const base = option === 'auto' ? (preferred ?? supported(abilities)) : option;
  const last = lastRound(turns);
  const isSame = last?.from === base && last.model === id;
  const current = isSame ? last.protocol : base;
  const isBroken = openTurn !== undefined && brokenInRow(openTurn) >= repairsOf(malformed);
  const protocol = (isBroken ? nextAfter(current, abilities) : undefined) ?? current;
  const fallback = nextAfter(protocol, abilities);
  return {
    protocol,
    ...(protocol === base ? {} : { from: base }),
    ...(fallback === undefined ? {} : { fallback }),
  };
}

/** Replies in a row that cannot be used and that the model may repair. */
export function repairsOf(malformed: Policies['malformed']): number {
  return typeof malformed === 'object' ? malformed.repair : repairsDefault;
}

/** Whether another protocol is tried after repeated violations in the open round. */
export function hasFallback({ rounds }: Pick<TurnView, 'rounds'>): boolean {
  const data = rounds.at(-1)?.blocks[0]?.data;
  return isJsonObject(data) && data['protocol_fallback'] !== undefined;
}

/** The fields of `round.open`. Absent `protocol`: channels. */
export function toRoundData({ protocol, from, fallback }: ProtocolChoice) {
  return {
    ...(protocol === 'channels' ? {} : { protocol }),
    ...(from === undefined ? {} : { protocol_from: from }),
    ...(fallback === undefined ? {} : { protocol_fallback: fallback }),
  };
}

function supported(abilities: ModelAbilities | undefined): Protocol {
  if (abilities?.tools) return 'native-tools';
  return abilities?.json ? 'json' : 'channels';
}

/** Without stated abilities nothing else is tried. */
function nextAfter(
  protocol: Protocol,
  abilities: ModelAbilities | undefined,
): Protocol | undefined {
  if (abilities === undefined) return undefined;
  const { tools, json } = abilities;
  const able = { channels: true, 'native-tools': tools, json, plain: true };
  return protocols.slice(protocols.indexOf(protocol) + 1).find((each) => able[each]);
}

type LastRound = {
  readonly protocol: Protocol;
  readonly from: unknown;
  readonly model: unknown;
};

function lastRound(turns: readonly TurnView[]): LastRound | undefined {
  const data = lastPrompted(turns)?.blocks[0]?.data;
  if (!isJsonObject(data)) return undefined;
  const protocol = protocols.find((each) => each === data['protocol']) ?? 'channels';
  return { protocol, from: data['protocol_from'], model: data['model'] };
}
