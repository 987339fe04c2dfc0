import { defineAgent, defineBundle, defineOperation, starters } from 'timeloom/sdk';
import { z } from 'zod';
import { fill, form, submit } from './trip.ts';

const wizard = defineAgent({
  ...starters.minimal,
  id: 'wizard',
  instruction: { file: './wizard.md' },
  tools: [fill, submit],
  budgets: { rounds: 12 },
});

/** Another program fills in a field: the event opens a turn, or joins the one that is running. */
const field = defineOperation({
  id: 'field',
  input: form.payload.extend({ conversation: z.string() }),
  run: ({ conversation, ...payload }, ctx) => ctx.events.send(form, { conversation, payload }),
});

export const bundle = defineBundle({
  id: 'trip-form',
  version: '1.0.0',
  title: 'Travel request',
  agents: [wizard],
  events: [form],
  operations: [field],
});
