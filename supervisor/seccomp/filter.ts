import { ruleSteps } from './argument-rules.ts';
import { assemble, type Step } from './assemble.ts';
import { absent, byArgument, denied, newestKnown, selfOnly } from './syscalls.ts';

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

/**
 * One program for both architectures, so the same bytes work on every host. The architecture is
 * checked first: numbers mean other calls on another architecture, and x32 calls use the x86_64 architecture value.
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
    ...ruleSteps(),
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
    ...jumps(byArgument),
    ...jumps(selfOnly, 'itself'),
    ...jumps(denied, 'eperm'),
    ...jumps(absent, 'enosys'),
    { op: 'go', to: 'allow' },
  ];
}
