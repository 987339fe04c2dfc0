import type { Frame } from '../../../../runtime/engine/ports/bus.ts';
import { inOrder } from '../../../../runtime/engine/ports/frames.ts';
import { beginning } from '../../../../runtime/gateway/feed/cursor.ts';
import { EnvelopeEncoder } from '../../../../runtime/gateway/feed/envelope-encoder.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';

/** Every stream that a client saw start was completed, or ended once: by its block or by a reset. */
export function streamFaults(
  conversation: string,
  blocks: readonly Block[],
  frames: readonly Frame[],
): readonly string[] {
  const narrator = new EnvelopeEncoder(conversation, beginning);
  const waiting = [...inOrder(frames)];
  const completed = new Map<string, boolean>();
  const ends = new Map<string, number>();
  for (const block of blocks) {
    const until = waiting.findIndex(({ after }) => after >= block.seq);
    const due = waiting.splice(0, until < 0 ? waiting.length : until);
    const heard = [...due.flatMap((frame) => narrator.frame(frame)), ...narrator.block(block)];
    for (const { delta, data } of heard) {
      if (delta) completed.set(delta.stream, delta.completed);
      const ended = data?.['stream'];
      if (typeof ended === 'string') ends.set(ended, (ends.get(ended) ?? 0) + 1);
    }
  }
  return [...completed].flatMap(([stream, isCompleted]) => {
    const count = ends.get(stream) ?? 0;
    return count === 1 || (count === 0 && isCompleted) ? [] : [`${stream} ended ${count} times`];
  });
}
