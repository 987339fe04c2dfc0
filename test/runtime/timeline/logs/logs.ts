import fc from 'fast-check';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { turnScript } from './log-scripts.ts';
import { writeLog } from './write-log.ts';

/** Whole legal logs: every turn closed, every call answered. Any prefix is what a crash may leave. */
export const legalLogs: fc.Arbitrary<readonly Block[]> = fc
  .array(turnScript, { minLength: 1, maxLength: 4 })
  .map((turns) => writeLog(turns));

/** A legal log and a number of its blocks, to cut it at. */
export const cutLogs: fc.Arbitrary<{ blocks: readonly Block[]; cut: number }> = legalLogs.chain(
  (blocks) => fc.record({ blocks: fc.constant(blocks), cut: fc.nat(blocks.length) }),
);
