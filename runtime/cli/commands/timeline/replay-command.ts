import { textOf } from '../../../engine/inspect/open-log.ts';
import { type Divergence, replay as replayLog } from '../../../engine/reply/replay.ts';
import type { StoredConversation } from './open-conversation.ts';

/**
 * `timeloom timeline replay`: reproduces every prompt and compares it with what was sent, then parses every reply again
 * and compares the blocks. Exit code 1: prints the first difference.
 */
export async function replay(
  log: StoredConversation,
  { json }: { json: boolean },
): Promise<number> {
  const result = await replayLog(log.blocks, { text: (hash) => textOf(log, hash) });
  const { divergence, prompts, replies, unrecorded } = result;
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (divergence) process.stdout.write(`${line(divergence)}\n`);
  else {
    const rest =
      unrecorded === 0
        ? ''
        : `; ${unrecorded} rounds of an earlier version have nothing to compare`;
    process.stdout.write(
      `${prompts} prompts are identical, ${replies} replies give the same blocks${rest}\n`,
    );
  }
  return divergence ? 1 : 0;
}

const shownChars = 200;

function line({ seq, type, field, recorded, now }: Divergence): string {
  const value = (json: unknown) =>
    (json === undefined ? 'nothing' : JSON.stringify(json)).slice(0, shownChars);
  return `block ${seq} (${type}) differs in ${field}: recorded ${value(recorded)}, now ${value(now)}`;
}
