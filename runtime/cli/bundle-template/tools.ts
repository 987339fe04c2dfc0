import { defineTool, refuse } from 'timeloom/sdk';
import { z } from 'zod';

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const hours: Partial<Record<(typeof days)[number], string>> = {
  ...{ monday: '9:00–17:00', tuesday: '9:00–17:00', wednesday: '9:00–13:00' },
  ...{ thursday: '9:00–19:00', friday: '9:00–15:00' },
};

/** What the agent can do. The model reads `description` and `input`; `run` gets an input that was checked. */
export const openingHours = defineTool({
  id: 'new_bundle.opening_hours',
  description: 'When the desk is open on one day of the week.',
  input: z.object({ day: z.enum(days) }),
  traits: ['exploration'],
  effects: 'none',
  concurrency: 'safe',
  run: ({ day }) => {
    const open = hours[day];
    // An expected no: the model reads its code and its message, and can act on them.
    return open === undefined ? refuse('closed', `The desk is closed on ${day}.`) : { day, open };
  },
});
