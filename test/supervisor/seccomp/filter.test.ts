import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seccompFilter } from '../../../supervisor/seccomp/filter.ts';
import {
  absent,
  byArgument,
  denied,
  newestKnown,
  selfOnly,
} from '../../../supervisor/seccomp/syscalls.ts';

type Call = { arch: number; nr: number; args?: readonly bigint[] };

const machines = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
const column = { x86_64: 0, aarch64: 1 } as const;
const answers = new Map([
  [0x7fff0000, 'allow'],
  [0x80000000, 'kill'],
  [0x00050001, 'eperm'],
  [0x00050026, 'enosys'],
]);
const filter = seccompFilter();

/** The kernel's classic-BPF machine, as far as the filter uses it. */
type Machine = { at: number; loaded: number; answer?: number };
type Operands = { k: number; yes: number; no: number; data: Buffer };

const branch =
  (holds: (loaded: number, k: number) => boolean) =>
  (machine: Machine, { k, yes, no }: Operands) => {
    machine.at += holds(machine.loaded, k) ? yes : no;
  };
const operations: Readonly<Record<number, (machine: Machine, operands: Operands) => void>> = {
  21: branch((loaded, k) => loaded === k),
  53: branch((loaded, k) => loaded >= k),
  69: branch((loaded, k) => (loaded & k) !== 0),
  5: (machine, { k }) => {
    machine.at += k;
  },
  6: (machine, { k }) => {
    machine.answer = k;
  },
  32: (machine, { k, data }) => {
    machine.loaded = data.readUInt32LE(k);
  },
  84: (machine, { k }) => {
    machine.loaded = (machine.loaded & k) >>> 0;
  },
};

function judge({ arch, nr, args = [] }: Call): string | undefined {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(nr >>> 0, 0);
  data.writeUInt32LE(arch >>> 0, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  const machine: Machine = { at: 0, loaded: 0 };
  while (machine.answer === undefined) {
    const at = machine.at * 8;
    const [yes = 0, no = 0] = filter.subarray(at + 2, at + 4);
    machine.at += 1;
    operations[filter.readUInt16LE(at)]?.(machine, {
      k: filter.readUInt32LE(at + 4),
      yes,
      no,
      data,
    });
  }
  return answers.get(machine.answer);
}

for (const [machine, arch] of Object.entries(machines)) {
  const at = machine === 'x86_64' ? column.x86_64 : column.aarch64;
  const number = (numbers: readonly (number | null)[]) => numbers[at] ?? -1;

  test(`every denied call is refused on ${machine}`, () => {
    for (const [name, numbers] of Object.entries(denied)) {
      if (numbers[at] !== null)
        expect([name, judge({ arch, nr: number(numbers) })]).toEqual([name, 'eperm']);
    }
  });

  test(`calls that libraries can do without return ENOSYS on ${machine}`, () => {
    for (const numbers of Object.values(absent)) {
      expect(judge({ arch, nr: number(numbers) })).toBe('enosys');
    }
  });

  test(`all other calls in the tables are allowed on ${machine}, and newer ones are not`, () => {
    const tables = [denied, absent, selfOnly, byArgument].flatMap((table) => Object.values(table));
    const known = new Set(tables.map(number));
    const nr = fc.integer({ min: 0, max: newestKnown }).filter((one) => !known.has(one));
    fc.assert(fc.property(nr, (one) => judge({ arch, nr: one }) === 'allow'));
    const newer = fc.integer({ min: newestKnown + 1, max: 0x3fffffff });
    fc.assert(fc.property(newer, (one) => judge({ arch, nr: one }) === 'enosys'));
  });

  test(`clone can create threads and processes but not namespaces on ${machine}`, () => {
    const clone = (flags: bigint) => judge({ arch, nr: number(byArgument.clone), args: [flags] });
    expect(clone(0x3d0f00n)).toBe('allow');
    expect(clone(17n)).toBe('allow');
    const spaces = [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n];
    for (const flag of [...spaces, 0x10000000n, 0x20000000n, 0x40000000n]) {
      expect(clone(flag | 17n)).toBe('eperm');
    }
  });

  // proves: i6.guarded
  test(`a process can change its own limits and priorities only, and not by process ID, on ${machine}`, () => {
    const upper = 0xffffffffn << 32n;
    for (const [name, numbers] of Object.entries(selfOnly)) {
      const of = (pid: bigint) => [name, judge({ arch, nr: number(numbers), args: [pid, 0n] })];
      for (const self of [0n, upper]) expect(of(self)).toEqual([name, 'allow']);
      for (const other of [1n, 2n, 0x7fffffffn, -1n & 0xffffffffn, 1n | upper])
        expect(of(other)).toEqual([name, 'eperm']);
    }
    const process = { setpriority: 0n, ioprio_set: 1n } as const;
    for (const name of ['setpriority', 'ioprio_set'] as const) {
      const of = (...args: bigint[]) => judge({ arch, nr: number(byArgument[name]), args });
      expect(of(process[name], 0n)).toBe('allow');
      expect(of(process[name], 1n)).toBe('eperm');
      // A group or a user may have others in it.
      for (const which of [0n, 1n, 2n, 3n].filter((one) => one !== process[name]))
        expect(of(which, 0n)).toBe('eperm');
    }
  });

  test(`only stream pairs of Unix sockets can be created on ${machine}`, () => {
    const pair = (...args: bigint[]) => judge({ arch, nr: number(byArgument.socketpair), args });
    expect(pair(1n, 1n)).toBe('allow');
    expect(pair(1n, 1n | 0x80000n | 0x800n)).toBe('allow');
    for (const type of [2n, 3n, 5n, 2n | 0x80000n]) expect(pair(1n, type)).toBe('eperm');
    for (const family of [0n, 2n, 10n, 16n, 40n]) expect(pair(family, 1n)).toBe('eperm');
  });

  test(`out-of-band data is refused on ${machine}`, () => {
    const places = { sendto: 3, recvfrom: 3, sendmsg: 2, recvmsg: 2, sendmmsg: 3, recvmmsg: 3 };
    for (const [name, place] of Object.entries(places)) {
      const of = (flags: bigint) => {
        const args = [3n, 0x7f00n, 8n, 0n].with(place, flags);
        return judge({ arch, nr: number(byArgument[name as keyof typeof places]), args });
      };
      for (const flags of [0n, 0x40n, 0x4000n, 1n << 32n]) expect(of(flags)).toBe('allow');
      for (const flags of [1n, 0x41n, 0x4001n]) expect(of(flags)).toBe('eperm');
    }
  });

  // proves: i6.shares
  test(`resources that all programs of a machine share are refused on ${machine}`, () => {
    const half = 1n << 32n;
    const of = (name: keyof typeof byArgument, ...args: bigint[]) =>
      judge({ arch, nr: number(byArgument[name]), args });
    expect(of('mmap', 0n, 4096n, 3n, 0x22n)).toBe('allow');
    expect(of('mmap', 0n, 4096n, 3n, 0x40022n | half)).toBe('eperm');
    expect(of('memfd_create', 1n, 3n)).toBe('allow');
    expect(of('memfd_create', 1n, 7n)).toBe('eperm');
    expect(of('shmget', 0n, 1n, 0o1600n)).toBe('allow');
    expect(of('shmget', 0n, 1n, 0o5600n)).toBe('eperm');
    expect(of('prctl', 15n)).toBe('allow');
    expect(of('prctl', 22n | half)).toBe('eperm');
  });

  test(`a stream gives no handle on its peer process and accepts no filter on ${machine}`, () => {
    const option = (name: 'getsockopt' | 'setsockopt', one: bigint) =>
      judge({ arch, nr: number(byArgument[name]), args: [3n, 1n, one] });
    for (const one of [3n, 4n, 17n, 39n]) expect(option('getsockopt', one)).toBe('allow');
    expect(option('getsockopt', 77n)).toBe('eperm');
    for (const one of [2n, 7n, 20n]) expect(option('setsockopt', one)).toBe('allow');
    for (const one of [76n, 26n, 50n, 51n, 52n | (1n << 32n)])
      expect(option('setsockopt', one)).toBe('eperm');
  });

  test(`the core dump limit can be read but not changed on ${machine}`, () => {
    const set = (which: bigint) => judge({ arch, nr: number(byArgument.setrlimit), args: [which] });
    expect(set(7n)).toBe('allow');
    expect(set(4n)).toBe('eperm');
    const own = (...args: bigint[]) =>
      judge({ arch, nr: number(byArgument.prlimit64), args: [0n, ...args] });
    expect(own(7n, 1n)).toBe('allow');
    expect(own(4n, 0n)).toBe('allow');
    for (const pointer of [1n, 1n << 32n, 0x7fff00000000n]) expect(own(4n, pointer)).toBe('eperm');
    for (const pid of [1n, 0xffffffffn])
      expect(judge({ arch, nr: number(byArgument.prlimit64), args: [pid, 7n, 0n] })).toBe('eperm');
  });

  test(`typing into a terminal is refused, with any upper half of the request, on ${machine}`, () => {
    const ioctl = (request: bigint) =>
      judge({ arch, nr: number(byArgument.ioctl), args: [3n, request] });
    expect(ioctl(0x5401n)).toBe('allow');
    for (const upper of [0n, 1n << 32n, 0xffffffffn << 32n]) {
      expect(ioctl(upper | 0x5412n)).toBe('eperm');
      expect(ioctl(upper | 0x541cn)).toBe('eperm');
    }
  });
}

test('calls of another architecture are killed before their numbers are read', () => {
  const other = fc.integer({ min: 0, max: 0xffffffff });
  const known = new Set<number>(Object.values(machines));
  fc.assert(
    fc.property(other, fc.integer({ min: 0, max: 500 }), (arch, nr) => {
      fc.pre(!known.has(arch));
      expect(judge({ arch, nr })).toBe('kill');
    }),
  );
  for (const arch of [0x40000003, 0x40000028]) expect(judge({ arch, nr: 20 })).toBe('kill');
});

test('x32 numbers are killed', () => {
  for (const nr of [0x40000000, 0x40000001, 0x40000200, 0xffffffff]) {
    expect(judge({ arch: machines.x86_64, nr })).toBe('kill');
  }
});
