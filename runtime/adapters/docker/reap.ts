import type Docker from 'dockerode';
import { removeContainer } from './attached.ts';
import { statusOf } from './connect.ts';
import { orphanGraceMs } from './limits.ts';

export const labelNames = {
  execution: 'timeloom.execution',
  owner: 'timeloom.owner',
  deadline: 'timeloom.deadline',
} as const;

/** Of everything made for one execution. `deadline`: milliseconds since the epoch. */
export function toLabels(facts: { execution: string; owner: string; deadlineMs: number }) {
  return {
    [labelNames.execution]: facts.execution,
    [labelNames.owner]: facts.owner,
    [labelNames.deadline]: String(Math.ceil(facts.deadlineMs)),
  };
}

/**
 * Removes what is past its deadline, whoever made it: its worker would have, if it lived. Returns
 * how many things went.
 */
export async function reap(docker: Docker, { nowMs }: { nowMs: number }): Promise<number> {
  const filters = { label: [labelNames.deadline] };
  const isOrphan = (labels: Readonly<Record<string, string>> | null) =>
    Number(labels?.[labelNames.deadline]) + orphanGraceMs < nowMs;
  const containers = await docker.listContainers({ all: true, filters });
  const old = containers.filter(({ Labels }) => isOrphan(Labels));
  for (const { Id } of old) await removeContainer(docker.getContainer(Id));
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  const left = volumes.filter(({ Labels }) => isOrphan(Labels));
  for (const { Name } of left) await removeVolume(docker.getVolume(Name));
  return old.length + left.length;
}

async function removeVolume(volume: Docker.Volume): Promise<void> {
  try {
    await volume.remove({ force: true });
  } catch (error) {
    // 404: gone; 409: its container is still being removed, the next round takes it.
    if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
  }
}
