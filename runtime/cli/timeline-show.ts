import type { Block } from '../timeline/block.ts';
import type { OpenLog } from './timeline-log.ts';
import { visible } from './visible.ts';

/** `timeloom timeline show`: one line a block, or the whole block as JSON. */
export async function show({ blocks }: OpenLog, { json }: { json: boolean }): Promise<number> {
  for (const block of blocks) {
    process.stdout.write(json ? `${JSON.stringify(block)}\n` : `${visible(line(block))}\n`);
  }
  return 0;
}

function line({ seq, at, type, path, text }: Block): string {
  const words = (text ?? '').replaceAll(/\s+/g, ' ').slice(0, 80).toWellFormed();
  return `${String(seq).padStart(5)}  ${at}  ${type.padEnd(22)} ${path ?? ''}  ${words}`.trimEnd();
}
