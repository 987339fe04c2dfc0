import type { Step } from './assemble.ts';

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
/** MSG_OOB: rarely used code of the kernel, which Unix sockets need for nothing. */
const outOfBand = 0x1;
/** The second argument names a process, and not a group or a user. */
const prioProcess = 0;
const ioprioWhoProcess = 1;

/** What becomes of a call by one of its arguments. `to` and `otherwise`: an answer, or another judgement below. */
type Judgement = {
  readonly argument: number;
  /** The upper half of it: the kernel reads most as int, of a pointer both count. */
  readonly upper?: boolean;
  readonly mask?: number;
  readonly test: 'equal' | 'any_bit';
  readonly values: readonly number[];
  readonly to: string;
  readonly otherwise: string;
};

function onlyFor(argument: number, values: readonly number[], to = 'allow'): Judgement {
  return { argument, test: 'equal', values, to, otherwise: 'eperm' };
}

function unless(argument: number, values: readonly number[], to = 'eperm'): Judgement {
  return { argument, test: 'equal', values, to, otherwise: 'allow' };
}

function withoutBits(argument: number, bits: number): Judgement {
  return { argument, test: 'any_bit', values: [bits], to: 'eperm', otherwise: 'allow' };
}

/** By the names of `judged`; jumps go forward only, so what is asked next stands below. */
const table: Readonly<Record<string, Judgement>> = {
  clone: withoutBits(0, namespaceFlags),
  socketpair: onlyFor(0, [unixFamily], 'socketpair type'),
  'socketpair type': { ...onlyFor(1, [streamType]), mask: typeMask },
  setpriority: onlyFor(0, [prioProcess], 'second is itself'),
  ioprio_set: onlyFor(0, [ioprioWhoProcess], 'second is itself'),
  'second is itself': onlyFor(1, [0]),
  itself: onlyFor(0, [0]),
  ioctl: unless(1, [tiocsti, tioclinux]),
  personality: onlyFor(0, [0, personalityQuery]),
  prlimit64: onlyFor(0, [0], 'limit of itself'),
  // Below a limit of 0 a kernel still hands dumps to a program of the host (core_pattern), below one of 1 it does not: it stays.
  'limit of itself': unless(1, [coreLimit], 'core limit'),
  // A pointer to the new one, or none.
  'core limit': onlyFor(2, [0], 'core limit, upper half'),
  'core limit, upper half': { ...onlyFor(2, [0]), upper: true },
  setrlimit: unless(0, [coreLimit]),
  // A filter of its own takes of the room that a machine has for all filters.
  prctl: unless(0, [setFilter]),
  setsockopt: unless(2, streamSettings),
  getsockopt: unless(2, [peerHandle]),
  mmap: withoutBits(3, hugeMap),
  memfd_create: withoutBits(1, hugeFile),
  shmget: withoutBits(2, hugeShared),
  sendto: withoutBits(3, outOfBand),
  recvfrom: withoutBits(3, outOfBand),
  sendmsg: withoutBits(2, outOfBand),
  recvmsg: withoutBits(2, outOfBand),
  sendmmsg: withoutBits(3, outOfBand),
  recvmmsg: withoutBits(3, outOfBand),
};

export function judgements(): readonly Step[] {
  return Object.entries(table).flatMap(([name, judgement]) => [
    { op: 'label', name },
    ...stepsOf(judgement),
  ]);
}

function stepsOf({ argument, upper, mask, ...rest }: Judgement): readonly Step[] {
  const { test, values, to, otherwise } = rest;
  return [
    { op: 'load', offset: 16 + 8 * argument + (upper ? 4 : 0) },
    ...(mask === undefined ? [] : [{ op: 'mask', value: mask } as const]),
    ...values.map((value) => ({ op: 'if', test, value, to }) as const),
    { op: 'go', to: otherwise },
  ];
}
