import { spawnSync } from 'node:child_process';

/**
 * How much slower this machine is than the one where the limits of tests were set, which met them with room: limits that are
 * times are multiplied by it. Work is measured in processor time, so that what else the machine does counts little. That
 * machine could not be asked again: what the tasks took there follows from figures in docs/benchmarks.md.
 */

/** A limit grows with the machine to this much of itself, and not further: what is too slow must fail. */
const slownessMax = 5;
const variable = 'TIMELOOM_TEST_SLOWNESS';

/** Time that tests may wait for what they have started. Measured once: workers inherit it. */
export function patient(ms: number): number {
  return Math.round(ms * machineSlowness());
}

/** At starting processes and touching their memory. */
export function machineSlowness(): number {
  process.env[variable] ??= String(toSlowness(processesMs(), processesMsThere));
  return Number(process.env[variable]);
}

/** Of this moment, in this thread, at reading and writing JSON. */
export function jsonSlowness(): number {
  return toSlowness(messageMs(), messageMsThere);
}

/** Processor time that this thread has taken so far. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function toSlowness(ms: number, msThere: number): number {
  return Math.min(slownessMax, Math.max(1, ms / msThere));
}

/**
 * Took 3.2 ms on the machine where the limits were set: half of what two ends spend on a message of 1 MB and its answer as
 * JSON beyond what they spend on its bytes (`call_javascript_1_mb_vs_json_echo` and `…_vs_whole_echo`). On a virtual machine
 * where turns took 135 ms instead of less than 100, it takes 6 to 8.
 */
const messageMsThere = 3.2;
const message = { text: 'x'.repeat(1_000_000) };

function messageMs(): number {
  const tries = Array.from({ length: 9 }, () => {
    const before = threadMs();
    JSON.parse(Buffer.from(JSON.stringify(message)).toString());
    return threadMs() - before;
  });
  return tries.toSorted((a, b) => a - b)[4] ?? 0;
}

/**
 * Took about 40 ms on the machine where the limits were set. Only the 12 ms of the interpreter were measured there; 0.9 ms for
 * a fork that fills a megabyte is an estimate. On the virtual machine above it takes 70 to 100 ms.
 */
const processesMsThere = 40;
const processes = `import os, resource
for _ in range(30):
    child = os.fork()
    if child == 0:
        bytearray(b"x") * (1 << 20)
        os._exit(0)
    os.waitpid(child, 0)
used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(sum(each.ru_utime + each.ru_stime for each in used) * 1000)`;

/** The best of three tries. 0 where there is no Python. */
function processesMs(): number {
  const tries = [1, 2, 3].map(() => {
    const { stdout } = spawnSync('/usr/bin/python3', ['-I', '-c', processes], { encoding: 'utf8' });
    return Number(stdout);
  });
  return Math.min(...tries);
}
