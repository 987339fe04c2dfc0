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
  const argument = (index: number): Step => ({ op: 'load', offset: offset.argument(index) });
  const allowIf = (value: number): Step => ({ op: 'if', test: 'equal', value, to: 'allow' });
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
  ];
}
