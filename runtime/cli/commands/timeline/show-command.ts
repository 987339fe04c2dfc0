import { seconds, summarizeBlock } from '../../../engine/inspect/block-summary.ts';
import type { Block } from '../../../timeline/block.ts';
import { emptyView, foldArchive } from '../../../timeline/fold/fold.ts';
import { type ShortNames, shortNames } from '../../../timeline/short-names.ts';
import { escapeControl } from '../../terminal/escape-control.ts';
import type { StoredConversation } from './open-conversation.ts';

const summaryCharsMax = 160;

/** `timeloom timeline show`: prints each block as one line, or whole as JSON. */
export async function show(
  { blocks }: StoredConversation,
  { json }: { json: boolean },
): Promise<number> {
  const names = shortNames(foldArchive(emptyView, blocks));
  const begun = new Map<string, string>();
  for (const block of blocks) {
    const { call, type, at } = block;
    if (call !== undefined && type === 'react.tool.call') begun.set(call, at);
    const since = type === 'react.tool.result' ? begun.get(call ?? '') : undefined;
    const took = since === undefined ? '' : seconds(Date.parse(at) - Date.parse(since));
    const shown = json ? JSON.stringify(block) : escapeControl(line(block, { names, took }));
    process.stdout.write(`${shown}\n`);
  }
  return 0;
}

function line(block: Block, { names, took }: { names: ShortNames; took: string }): string {
  const { seq, at, turn, type, path } = block;
  const summary = summarizeBlock(block)
    .replaceAll(/\s+/g, ' ')
    .slice(0, summaryCharsMax)
    .toWellFormed();
  const place = `${String(seq).padStart(5)}  ${at}  ${names.turn(turn).padEnd(3)}  ${type.padEnd(20)}`;
  const rest = [path === undefined ? '' : names.path(path), took, summary];
  return [place, ...rest.filter((part) => part !== '')].join('  ').trimEnd();
}
