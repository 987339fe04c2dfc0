import type Docker from 'dockerode';
import { openReaper, type Reaper } from '../../../supervisor/cell/reaper.ts';
import { cellLifeMsMax } from '../../../supervisor/pool/limits.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { statusOf } from './engine/connect.ts';
import { removeContainer } from './engine/container-streams.ts';
import { orphanGraceMs, reapEveryMs } from './engine/limits.ts';
import { ownerState } from './owner.ts';

export const labelNames = {
  cell: 'timeloom.cell',
  owner: 'timeloom.owner',
  deadline: 'timeloom.deadline',
} as const;

/** Labels of every resource of one cell. `deadline` is in milliseconds since the epoch. */
export function toLabels(facts: { cell: string; owner: string; deadlineMs: number }) {
  return {
    [labelNames.cell]: facts.cell,
    [labelNames.owner]: facts.owner,
    [labelNames.deadline]: String(Math.ceil(facts.deadlineMs)),
  };
}

/** Returns the labels for a cell that this owner creates now. */
export function createLabeller(
  owner: string,
  clock: Clock,
): (cell: string) => Record<string, string> {
  return (cell) => toLabels({ cell, owner, deadlineMs: clock.now() + cellLifeMsMax });
}

type Labels = Readonly<Record<string, string>> | null;

/**
 * Removes orphans: all resources of a dead owner, and resources past their deadline of an owner whose state is unknown.
 * Returns how many it removed. If some cannot be removed, it removes the rest first, then throws.
 */
export async function reap(docker: Docker, { nowMs }: { nowMs: number }): Promise<number> {
  const filters = { label: [labelNames.owner] };
  const isOrphan = orphans(nowMs);
  const containers = await docker.listContainers({ all: true, filters });
  const old = await select(containers, ({ Labels }) => isOrphan(Labels));
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  for (const { Id } of old) await removeContainer(docker.getContainer(Id)).catch(failed);
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  const left = await select(volumes, ({ Labels }) => isOrphan(Labels));
  for (const { Name } of left) await removeVolume(docker.getVolume(Name)).catch(failed);
  if (failures.length > 0) throw failures[0];
  return old.length + left.length;
}

/** Reaps now and from time to time. */
export function openContainerReaper(
  docker: Docker,
  { clock, log }: { clock: Clock; log: Log },
): Reaper {
  const round = () => reap(docker, { nowMs: clock.now() });
  return openReaper({ everyMs: reapEveryMs, log, reap: round });
}

function orphans(nowMs: number): (labels: Labels) => Promise<boolean> {
  const states = new Map<string, ReturnType<typeof ownerState>>();
  return async (labels) => {
    const owner = labels?.[labelNames.owner] ?? '';
    const known = states.get(owner) ?? ownerState(owner);
    states.set(owner, known);
    const state = await known;
    if (state !== 'unknown') return state === 'dead';
    return Number(labels?.[labelNames.deadline]) + orphanGraceMs < nowMs;
  };
}

async function select<T>(all: readonly T[], test: (one: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(all.map(test));
  return all.filter((_, index) => kept[index]);
}

async function removeVolume(volume: Docker.Volume): Promise<void> {
  try {
    await volume.remove({ force: true });
  } catch (error) {
    // 404: already removed; 409: its container is still being removed, so the next round removes it.
    if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
  }
}
