import { ruleSteps } from './argument-rules.ts';
import { assemble, type Step } from './assemble.ts';
import {
  absent,
  byArgument,
  byArgumentForAgents,
  denied,
  deniedToAgents,
  newestKnown,
  selfOnly,
} from './syscalls.ts';

const architectures = { x86_64: 0xc000_003e, aarch64: 0xc000_00b7 } as const;
type Architecture = keyof typeof architectures;

const answers = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  eperm: 0x0005_0000 | 1,
  enosys: 0x0005_0000 | 38,
} as const;

/** Offsets in `struct seccomp_data`. */
const offset = { nr: 0, arch: 4 } as const;

const x32Bit = 0x4000_0000;

type Calls = Readonly<Record<string, readonly (number | null)[]>>;
type Profile = { readonly denied: Calls; readonly selfOnly: Calls; readonly byArgument: Calls };

const programs: Profile = { denied, selfOnly, byArgument };
const agents: Profile = {
  denied: deniedToAgents,
  selfOnly: {},
  byArgument: byArgumentForAgents,
};

/**
 * One program for both architectures, so the same bytes work on every host. The architecture is
 * checked first: numbers mean other calls on another architecture, and x32 calls use the x86_64 architecture value.
 */
export function seccompFilter(): Buffer {
  return filterOf(programs);
}

/** For an agent program with a network namespace of its own: it makes sockets, and sets limits of its own processes. */
export function agentSeccompFilter(): Buffer {
  return filterOf(agents);
}

function filterOf(profile: Profile): Buffer {
  return assemble([
    { op: 'load', offset: offset.arch },
    { op: 'if', test: 'equal', value: architectures.x86_64, to: 'x86_64' },
    { op: 'if', test: 'equal', value: architectures.aarch64, to: 'aarch64' },
    { op: 'go', to: 'kill' },
    { op: 'label', name: 'x86_64' },
    { op: 'load', offset: offset.nr },
    { op: 'if', test: 'at_least', value: x32Bit, to: 'kill' },
    ...byNumber('x86_64', profile),
    { op: 'label', name: 'aarch64' },
    { op: 'load', offset: offset.nr },
    ...byNumber('aarch64', profile),
    ...ruleSteps(),
    ...Object.entries(answers).flatMap(([name, value]): readonly Step[] => [
      { op: 'label', name },
      { op: 'return', value },
    ]),
  ]);
}

function byNumber(architecture: Architecture, profile: Profile): readonly Step[] {
  const column = architecture === 'x86_64' ? 0 : 1;
  const jumps = (table: Calls, to?: string) =>
    Object.entries(table).flatMap(([name, numbers]): readonly Step[] => {
      const value = numbers[column];
      return typeof value === 'number' ? [{ op: 'if', test: 'equal', value, to: to ?? name }] : [];
    });
  return [
    { op: 'if', test: 'at_least', value: newestKnown + 1, to: 'enosys' },
    ...jumps(profile.byArgument),
    ...jumps(profile.selfOnly, 'itself'),
    ...jumps(profile.denied, 'eperm'),
    ...jumps(absent, 'enosys'),
    { op: 'go', to: 'allow' },
  ];
}
