import { Fault } from '../../../base/fault.ts';
import { sidecarMb } from '../settings/limits.ts';

/** The task sizes of Fargate: CPU units, and MiB of memory from `from` to `to` in steps of `step`. */
const offers = [
  { cpu: 256, from: 1_024, to: 2_048, step: 1_024 },
  { cpu: 512, from: 1_024, to: 4_096, step: 1_024 },
  { cpu: 1_024, from: 2_048, to: 8_192, step: 1_024 },
  { cpu: 2_048, from: 4_096, to: 16_384, step: 1_024 },
  { cpu: 4_096, from: 8_192, to: 30_720, step: 1_024 },
  { cpu: 8_192, from: 16_384, to: 61_440, step: 4_096 },
  { cpu: 16_384, from: 32_768, to: 122_880, step: 8_192 },
] as const;

const unitsPerCpu = 1_024;

/** CPU units and MiB, as strings, as the service wants them. */
export type TaskSize = { readonly cpu: string; readonly memory: string };

/** The smallest task for a program and its sidecars. Fault `EXEC_FAILED` if no size is large enough. */
export function taskSizeOf({ cpus, memoryMb }: { cpus: number; memoryMb: number }): TaskSize {
  const neededMb = memoryMb + sidecarMb;
  const offer = offers.find(({ cpu, to }) => cpu >= cpus * unitsPerCpu && to >= neededMb);
  if (offer === undefined)
    throw new Fault('EXEC_FAILED', { because: 'no task size is large enough', cpus, memoryMb });
  const { cpu, from, step } = offer;
  const steps = Math.ceil(Math.max(0, neededMb - from) / step);
  return { cpu: String(cpu), memory: String(from + steps * step) };
}
