import { expect, test } from 'vitest';
import { z } from 'zod';
import { logLine, McpProgress } from '../../../../runtime/gateway/projections/mcp.ts';
import type { OpenProjection } from '../../../../runtime/gateway/projections/projection.ts';
import { corpus } from './corpus.ts';
import { expectGolden, framesOf } from './golden-frames.ts';

const Progress = z.object({ progress: z.int(), message: z.string().min(1) });

/** What a client with a progress token and the lowest level of logs receives of a call. */
const open: OpenProjection = () => {
  const call = new McpProgress();
  return {
    isOver: false,
    take: (envelope) => {
      const progress = call.take(envelope);
      if (progress === undefined) return [];
      const log = logLine(envelope, progress, 'debug');
      return [
        { event: 'progress', data: JSON.stringify(progress) },
        { event: 'message', data: JSON.stringify(log) },
      ];
    },
  };
};

// proves: mcp-server
test('every turn of the corpus has its recorded notifications', () => expectGolden('mcp', open));

// proves: mcp-server
test.each(Object.keys(corpus))('%s: progress grows with every notification', (name) => {
  const sent = framesOf(open, name).filter(({ event }) => event === 'progress');
  const numbers = sent.map(({ data }) => Progress.parse(JSON.parse(data)).progress);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
});
