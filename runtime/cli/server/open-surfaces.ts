import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Config } from '../config/config.ts';
import type { TelegramConfig } from '../config/projects/surface-settings.ts';
import type { ProjectSurface, ServedProject, ServedProjects } from '../wiring/live-projects.ts';

type Parts = { readonly clock: Clock; readonly projects: ServedProjects };

/** The messengers of `gateway.yaml`, for every project. Fault `CONFIG_INVALID` if one names an agent that does not exist. */
export async function openSurfaces(
  { telegram, projects: settings }: Config,
  { clock, projects: [home, ...others] }: Parts,
): Promise<readonly ProjectSurface[]> {
  const own = telegram ? [await openTelegram(telegram, { clock, served: home })] : [];
  const more = others.map(async (served, index) => {
    const bot = settings[index]?.telegram;
    if (!bot) return [];
    const { tenant, project } = served.place;
    const records = `${tenant}/${project}/telegram`;
    return [{ ...(await openTelegram(bot, { clock, served })), records }];
  });
  return [...own, ...(await Promise.all(more)).flat()];
}

async function openTelegram(
  { allow, webhookUrl, bundle, agent, ...account }: TelegramConfig,
  { clock, served }: { clock: Clock; served: ServedProject },
): Promise<ProjectSurface> {
  const isKnown = served.bundles.some(
    ({ id, agents }) => id === bundle && agents.some((each) => each.id === agent),
  );
  if (bundle !== undefined && !isKnown) {
    const because = `gateway.yaml: surfaces.telegram.agent: agent ${bundle}/${agent} not found`;
    throw new Fault('CONFIG_INVALID', { because });
  }
  const { createTelegram } = await import('../../adapters/telegram/telegram.ts');
  return {
    place: served.place,
    surface: createTelegram({ ...account, clock, webhookUrl }),
    allow,
    ...(bundle === undefined ? {} : { bundle }),
    ...(agent === undefined ? {} : { agent }),
  };
}
