import { invariant } from '../../runtime/base/assert.ts';

/** A classic BPF step. `assemble` resolves labels; a step without a target falls through. */
export type Step =
  | { readonly op: 'load'; readonly offset: number }
  | { readonly op: 'mask'; readonly value: number }
  | {
      readonly op: 'if';
      readonly test: 'equal' | 'at_least' | 'any_bit';
      readonly value: number;
      readonly to: string;
    }
  | { readonly op: 'go'; readonly to: string }
  | { readonly op: 'return'; readonly value: number }
  | { readonly op: 'label'; readonly name: string };

const codes = {
  load: 0x20,
  mask: 0x54,
  go: 0x05,
  return: 0x06,
  equal: 0x15,
  at_least: 0x35,
  any_bit: 0x45,
} as const;

const instructionBytes = 8;
const instructionsMax = 4096;

/**
 * Assembles `struct sock_filter[]`, little endian. Conditional jumps reach only 255 instructions, so each
 * `if` becomes "skip the next instruction unless the test holds", followed by a long jump.
 */
export function assemble(steps: readonly Step[]): Buffer {
  const labels = place(steps);
  const out: Buffer[] = [];
  for (const step of steps) emit(step, { labels, out });
  invariant(out.length <= instructionsMax, 'a filter fits into the kernel');
  return Buffer.concat(out);
}

function place(steps: readonly Step[]): ReadonlyMap<string, number> {
  const labels = new Map<string, number>();
  let at = 0;
  for (const step of steps) {
    if (step.op === 'label') labels.set(step.name, at);
    else at += step.op === 'if' ? 2 : 1;
  }
  return labels;
}

type Output = { readonly labels: ReadonlyMap<string, number>; readonly out: Buffer[] };

function emit(step: Step, { labels, out }: Output): void {
  const jump = (name: string) => {
    const target = labels.get(name);
    invariant(target !== undefined && target > out.length, `a jump goes forward to ${name}`);
    out.push(instruction(codes.go, [0, 0], target - out.length - 1));
  };
  switch (step.op) {
    case 'load':
      out.push(instruction(codes.load, [0, 0], step.offset));
      return;
    case 'mask':
    case 'return':
      out.push(instruction(codes[step.op], [0, 0], step.value));
      return;
    case 'if':
      out.push(instruction(codes[step.test], [0, 1], step.value));
      jump(step.to);
      return;
    case 'go':
      jump(step.to);
      return;
    case 'label':
      return;
  }
}

function instruction(code: number, [yes, no]: readonly [number, number], value: number): Buffer {
  const bytes = Buffer.alloc(instructionBytes);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
