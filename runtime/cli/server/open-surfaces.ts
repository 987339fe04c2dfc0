import { createTelegram } from '../../adapters/telegram/telegram.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { ServedSurface } from '../../sdk/contract/surface.ts';
import type { Config } from '../config/config.ts';

type AgentIds = readonly {
  readonly id: string;
  readonly agents: readonly { readonly id: string }[];
}[];

/** The messengers of `gateway.yaml`. Fault `CONFIG_INVALID` if one names an agent that does not exist. */
export function openSurfaces(
  { telegram }: Config,
  { clock, bundles }: { clock: Clock; bundles: AgentIds },
): readonly ServedSurface[] {
  if (!telegram) return [];
  const { allow, webhookUrl, bundle, agent, ...account } = telegram;
  const isKnown = bundles.some(
    ({ id, agents }) => id === bundle && agents.some((each) => each.id === agent),
  );
  if (bundle !== undefined && !isKnown) {
    const because = `gateway.yaml: surfaces.telegram.agent: agent ${bundle}/${agent} not found`;
    throw new Fault('CONFIG_INVALID', { because });
  }
  const surface = createTelegram({ ...account, clock, webhookUrl });
  return [
    {
      surface,
      allow,
      ...(bundle === undefined ? {} : { bundle }),
      ...(agent === undefined ? {} : { agent }),
    },
  ];
}
