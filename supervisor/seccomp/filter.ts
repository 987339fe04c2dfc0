import { assemble, type Step } from './assemble.ts';
import { absent, denied, judged, newestKnown, ofItself } from './syscalls.ts';

const architectures = { x86_64: 0xc000_003e, aarch64: 0xc000_00b7 } as const;
type Architecture = keyof typeof architectures;

const answers = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  eperm: 0x0005_0000 | 1,
  enosys: 0x0005_0000 | 38,
} as const;

/** Offsets in `struct seccomp_data`; of an argument, its low half: the kernel reads these as int. */
const offset = { nr: 0, arch: 4, argument: (index: number) => 16 + 8 * index } as const;

const x32Bit = 0x4000_0000;
/** CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}; NEWTIME cannot be asked of clone. */
const namespaceFlags = 0x7e02_0000;
const unixFamily = 1;
const streamType = 1;
const typeMask = 0xf;
/** Puts characters into the terminal of whoever started the worker. */
const tiocsti = 0x5412;
const tioclinux = 0x541c;
const personalityQuery = 0xffff_ffff;
/** RLIMIT_CORE, and PR_SET_SECCOMP. */
const coreLimit = 4;
const setFilter = 22;
/** Asking a stream for a handle on the process behind it (SO_PEERPIDFD, SO_PASSPIDFD), and giving the kernel programs to run. */
const peerHandle = 77;
const streamSettings = [76, 26, 50, 51, 52] as const;
/** MAP_, MFD_ and SHM_HUGETLB: the pages that a machine has put aside for somebody. */
const hugeMap = 0x4_0000;
const hugeFile = 0x4;
const hugeShared = 0x800;
/** The second argument names a process, and not a group or a user. */
const prioProcess = 0;
const ioprioWhoProcess = 1;

/**
 * One program for both architectures, so the same bytes serve every host. The architecture is
 * judged first: numbers mean other calls under another one, and x32 hides behind x86_64's name.
 */
export function seccompFilter(): Buffer {
  return assemble([
    { op: 'load', offset: offset.arch },
    { op: 'if', test: 'equal', value: architectures.x86_64, to: 'x86_64' },
    { op: 'if', test: 'equal', value: architectures.aarch64, to: 'aarch64' },
    { op: 'go', to: 'kill' },
    { op: 'label', name: 'x86_64' },
    { op: 'load', offset: offset.nr },
    { op: 'if', test: 'at_least', value: x32Bit, to: 'kill' },
    ...byNumber('x86_64'),
    { op: 'label', name: 'aarch64' },
    { op: 'load', offset: offset.nr },
    ...byNumber('aarch64'),
    ...judgements(),
    ...Object.entries(answers).flatMap(([name, value]): readonly Step[] => [
      { op: 'label', name },
      { op: 'return', value },
    ]),
  ]);
}

function byNumber(architecture: Architecture): readonly Step[] {
  const column = architecture === 'x86_64' ? 0 : 1;
  const jumps = (table: Readonly<Record<string, readonly (number | null)[]>>, to?: string) =>
    Object.entries(table).flatMap(([name, numbers]): readonly Step[] => {
      const value = numbers[column];
      return typeof value === 'number' ? [{ op: 'if', test: 'equal', value, to: to ?? name }] : [];
    });
  return [
    { op: 'if', test: 'at_least', value: newestKnown + 1, to: 'enosys' },
    ...jumps(judged),
    ...jumps(ofItself, 'itself'),
    ...jumps(denied, 'eperm'),
    ...jumps(absent, 'enosys'),
    { op: 'go', to: 'allow' },
  ];
}

function judgements(): readonly Step[] {
  return [
    { op: 'label', name: 'clone' },
    argument(0),
    { op: 'if', test: 'any_bit', value: namespaceFlags, to: 'eperm' },
    { op: 'go', to: 'allow' },

    { op: 'label', name: 'socketpair' },
    argument(0),
    { op: 'if', test: 'equal', value: unixFamily, to: 'socketpair type' },
    { op: 'go', to: 'eperm' },
    { op: 'label', name: 'socketpair type' },
    argument(1),
    { op: 'mask', value: typeMask },
    allowIf(streamType),
    { op: 'go', to: 'eperm' },

    { op: 'label', name: 'setpriority' },
    argument(0),
    { op: 'if', test: 'equal', value: prioProcess, to: 'second is itself' },
    { op: 'go', to: 'eperm' },
    { op: 'label', name: 'ioprio_set' },
    argument(0),
    { op: 'if', test: 'equal', value: ioprioWhoProcess, to: 'second is itself' },
    { op: 'go', to: 'eperm' },
    { op: 'label', name: 'second is itself' },
    argument(1),
    allowIf(0),
    { op: 'go', to: 'eperm' },
    { op: 'label', name: 'itself' },
    argument(0),
    allowIf(0),
    { op: 'go', to: 'eperm' },

    { op: 'label', name: 'ioctl' },
    argument(1),
    { op: 'if', test: 'equal', value: tiocsti, to: 'eperm' },
    { op: 'if', test: 'equal', value: tioclinux, to: 'eperm' },
    { op: 'go', to: 'allow' },

    { op: 'label', name: 'personality' },
    argument(0),
    allowIf(0),
    allowIf(personalityQuery),
    { op: 'go', to: 'eperm' },
    ...limits(),
    ...ofStreams(),
    ...hugePages(),
  ];
}

/** Below a limit of 0 a kernel still hands dumps to a program of the host (core_pattern), below one of 1 it does not: it stays. */
function limits(): readonly Step[] {
  return [
    { op: 'label', name: 'prlimit64' },
    argument(0),
    whereIs(0, 'limits of itself'),
    { op: 'go', to: 'eperm' },
    { op: 'label', name: 'limits of itself' },
    argument(1),
    { op: 'if', test: 'equal', value: coreLimit, to: 'core limit' },
    { op: 'go', to: 'allow' },
    { op: 'label', name: 'core limit' },
    // A pointer to the new one, or none.
    argument(2),
    whereIs(0, 'core limit, upper half'),
    { op: 'go', to: 'eperm' },
    { op: 'label', name: 'core limit, upper half' },
    { op: 'load', offset: offset.argument(2) + 4 },
    allowIf(0),
    { op: 'go', to: 'eperm' },

    { op: 'label', name: 'setrlimit' },
    ...allUnless(0, [coreLimit]),
    // A filter of its own takes of the room that a machine has for all filters.
    { op: 'label', name: 'prctl' },
    ...allUnless(0, [setFilter]),
  ];
}

function ofStreams(): readonly Step[] {
  return [
    { op: 'label', name: 'setsockopt' },
    ...allUnless(2, streamSettings),
    { op: 'label', name: 'getsockopt' },
    ...allUnless(2, [peerHandle]),
  ];
}

function hugePages(): readonly Step[] {
  const unlessAsked = (name: string, index: number, value: number): readonly Step[] => [
    { op: 'label', name },
    argument(index),
    { op: 'if', test: 'any_bit', value, to: 'eperm' },
    { op: 'go', to: 'allow' },
  ];
  return [
    ...unlessAsked('mmap', 3, hugeMap),
    ...unlessAsked('memfd_create', 1, hugeFile),
    ...unlessAsked('shmget', 2, hugeShared),
  ];
}

function argument(index: number): Step {
  return { op: 'load', offset: offset.argument(index) };
}

function allowIf(value: number): Step {
  return whereIs(value, 'allow');
}

function whereIs(value: number, to: string): Step {
  return { op: 'if', test: 'equal', value, to };
}

function allUnless(index: number, values: readonly number[]): readonly Step[] {
  const refused = values.map((value) => whereIs(value, 'eperm'));
  return [argument(index), ...refused, { op: 'go', to: 'allow' }];
}
