import { createTelegram } from '../../adapters/telegram/telegram.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Config } from '../config/config.ts';
import type { TelegramConfig } from '../config/projects/surface-settings.ts';
import type { ProjectSurface, ServedProject, ServedProjects } from '../wiring/live-projects.ts';

type Parts = { readonly clock: Clock; readonly projects: ServedProjects };

/** The messengers of `gateway.yaml`, for every project. Fault `CONFIG_INVALID` if one names an agent that does not exist. */
export function openSurfaces(
  { telegram, projects: settings }: Config,
  { clock, projects: [home, ...others] }: Parts,
): readonly ProjectSurface[] {
  const own = telegram ? [openTelegram(telegram, { clock, served: home })] : [];
  const more = others.flatMap((served, index) => {
    const bot = settings[index]?.telegram;
    const { tenant, project } = served.place;
    return bot
      ? [{ ...openTelegram(bot, { clock, served }), records: `${tenant}/${project}/telegram` }]
      : [];
  });
  return [...own, ...more];
}

function openTelegram(
  { allow, webhookUrl, bundle, agent, ...account }: TelegramConfig,
  { clock, served }: { clock: Clock; served: ServedProject },
): ProjectSurface {
  const isKnown = served.bundles.some(
    ({ id, agents }) => id === bundle && agents.some((each) => each.id === agent),
  );
  if (bundle !== undefined && !isKnown) {
    const because = `gateway.yaml: surfaces.telegram.agent: agent ${bundle}/${agent} not found`;
    throw new Fault('CONFIG_INVALID', { because });
  }
  return {
    place: served.place,
    surface: createTelegram({ ...account, clock, webhookUrl }),
    allow,
    ...(bundle === undefined ? {} : { bundle }),
    ...(agent === undefined ? {} : { agent }),
  };
}
