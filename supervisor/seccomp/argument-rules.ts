import type { Step } from './assemble.ts';

/** CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}; clone does not accept NEWTIME. */
const namespaceFlags = 0x7e02_0000;
const unixFamily = 1;
/** AF_INET, AF_INET6, and AF_NETLINK, which lists the interfaces. */
const otherFamilies = [2, 10, 16] as const;
const streamType = 1;
const typeMask = 0xf;
/** Inserts characters into the terminal from which the worker was started. */
const tiocsti = 0x5412;
const tioclinux = 0x541c;
const personalityQuery = 0xffff_ffff;
/** RLIMIT_CORE, and PR_SET_SECCOMP. */
const coreLimit = 4;
const setFilter = 22;
/** Options that return a handle on the peer process (SO_PEERPIDFD, SO_PASSPIDFD) or that load programs into the kernel. */
const peerHandle = 77;
const streamSettings = [76, 26, 50, 51, 52] as const;
/** MAP_, MFD_ and SHM_HUGETLB: huge pages that the machine has reserved. */
const hugeMap = 0x4_0000;
const hugeFile = 0x4;
const hugeShared = 0x800;
/** MSG_OOB: rarely used kernel code that Unix sockets do not need. */
const outOfBand = 0x1;
/** The second argument is a process, not a group or a user. */
const prioProcess = 0;
const ioprioWhoProcess = 1;

/** A rule for a call by one of its arguments. `to` and `otherwise` are an answer or another rule below. */
type ArgumentRule = {
  readonly argument: number;
  /** Tests the upper half: the kernel reads most arguments as int, but uses both halves of a pointer. */
  readonly upper?: boolean;
  readonly mask?: number;
  readonly test: 'equal' | 'any_bit';
  readonly values: readonly number[];
  readonly to: string;
  readonly otherwise: string;
};

function allowOnly(argument: number, values: readonly number[], to = 'allow'): ArgumentRule {
  return { argument, test: 'equal', values, to, otherwise: 'eperm' };
}

function denyFor(argument: number, values: readonly number[], to = 'eperm'): ArgumentRule {
  return { argument, test: 'equal', values, to, otherwise: 'allow' };
}

function denyBits(argument: number, bits: number): ArgumentRule {
  return { argument, test: 'any_bit', values: [bits], to: 'eperm', otherwise: 'allow' };
}

/** Rules by the names of `byArgument`. Jumps only go forward, so follow-up rules come later. */
const table: Readonly<Record<string, ArgumentRule>> = {
  clone: denyBits(0, namespaceFlags),
  socketpair: allowOnly(0, [unixFamily], 'socketpair type'),
  'socketpair type': { ...allowOnly(1, [streamType]), mask: typeMask },
  setpriority: allowOnly(0, [prioProcess], 'second is itself'),
  ioprio_set: allowOnly(0, [ioprioWhoProcess], 'second is itself'),
  'second is itself': allowOnly(1, [0]),
  itself: allowOnly(0, [0]),
  ioctl: denyFor(1, [tiocsti, tioclinux]),
  personality: allowOnly(0, [0, personalityQuery]),
  prlimit64: allowOnly(0, [0], 'limit of itself'),
  // With a limit of 0 the kernel still passes dumps to a program of the host (core_pattern), with 1 it does not: the limit stays.
  'limit of itself': denyFor(1, [coreLimit], 'core limit'),
  // The pointer to the new limit must be null.
  'core limit': allowOnly(2, [0], 'core limit, upper half'),
  'core limit, upper half': { ...allowOnly(2, [0]), upper: true },
  setrlimit: denyFor(0, [coreLimit]),
  // A program's own filter would use space that all filters of the machine share.
  prctl: denyFor(0, [setFilter]),
  setsockopt: denyFor(2, streamSettings),
  getsockopt: denyFor(2, [peerHandle]),
  mmap: denyBits(3, hugeMap),
  memfd_create: denyBits(1, hugeFile),
  shmget: denyBits(2, hugeShared),
  sendto: denyBits(3, outOfBand),
  recvfrom: denyBits(3, outOfBand),
  sendmsg: denyBits(2, outOfBand),
  recvmsg: denyBits(2, outOfBand),
  sendmmsg: denyBits(3, outOfBand),
  recvmmsg: denyBits(3, outOfBand),
  // Only agent programs make sockets.
  socket: allowOnly(0, [unixFamily, ...otherFamilies]),
};

export function ruleSteps(): readonly Step[] {
  return Object.entries(table).flatMap(([name, judgement]) => [
    { op: 'label', name },
    ...stepsOf(judgement),
  ]);
}

function stepsOf({ argument, upper, mask, ...rest }: ArgumentRule): readonly Step[] {
  const { test, values, to, otherwise } = rest;
  return [
    { op: 'load', offset: 16 + 8 * argument + (upper ? 4 : 0) },
    ...(mask === undefined ? [] : [{ op: 'mask', value: mask } as const]),
    ...values.map((value) => ({ op: 'if', test, value, to }) as const),
    { op: 'go', to: otherwise },
  ];
}
