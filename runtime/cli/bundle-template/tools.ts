import { defineTool, refuse } from 'timeloom/sdk';
import { z } from 'zod';

const days = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
const weekend: readonly string[] = ['saturday', 'sunday'];

/** A tool of the agent. The model reads `description` and `input`; `run` gets validated input. */
export const openingHours = defineTool({
  id: 'new_bundle.opening_hours',
  description: 'When the desk is open on one day of the week.',
  input: z.object({ day: z.enum(days) }),
  traits: ['exploration'],
  effects: 'none',
  concurrency: 'safe',
  run: ({ day }) => {
    // A refusal is an expected outcome: the model reads its code and message and can act on them.
    if (weekend.includes(day)) return refuse('closed', `The desk is closed on ${day}.`);
    return { day, open: '9:00–17:00' };
  },
});
