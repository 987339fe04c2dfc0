import { defineTool } from 'timeloom/sdk';
import { z } from 'zod';

const about = { description: 'A tool of a test.', input: z.object({}) };

export const count = defineTool({
  ...about,
  id: 'desk.count',
  async *run() {
    yield 'one';
    yield { text: 'two', fraction: 0.5, data: { at: 2 } };
    return { done: true };
  },
});

export const types = defineTool({
  ...about,
  id: 'desk.types',
  cumulative: true,
  async *run() {
    yield 'One';
    yield 'One, two';
    yield 'Three';
  },
});
