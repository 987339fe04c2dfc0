import { defineEvent, defineTool, refuse } from 'timeloom/sdk';
import { z } from 'zod';

const Trip = z.object({
  traveller: z.string().min(2),
  city: z.string().min(2),
  firstDay: z.iso.date(),
  lastDay: z.iso.date(),
});
const fields = Trip.keyof();
const Draft = z.partialRecord(fields, z.string());

/** What the page, or a program behind a webhook, sends for one field. */
export const form = defineEvent({
  kind: 'form',
  reactive: true,
  payload: z.object({ field: fields, value: z.string() }),
  text: ({ field, value }) => `FORM ${field}: ${value}`,
});

export const fill = defineTool({
  id: 'trip.fill',
  description: 'Stores one field of the travel request and reports which fields are missing.',
  input: z.object({ field: fields, value: z.string() }),
  output: z.object({ trip: Draft, missing: z.array(z.string()) }),
  effects: 'keyed',
  async run({ field, value }, ctx) {
    const { error } = Trip.shape[field].safeParse(value);
    if (error) return refuse('invalid_field', `${field}: ${z.prettifyError(error)}`);
    const stored = (await ctx.storage.conversation.get('trip', Draft)) ?? {};
    const trip = { ...stored, [field]: value };
    await ctx.storage.conversation.set('trip', trip);
    return { trip, missing: fields.options.filter((key) => !(key in trip)) };
  },
});

export const submit = defineTool({
  id: 'trip.submit',
  description: 'Submits the travel request once every field is filled in.',
  input: z.object({}),
  output: z.object({ request: z.string(), days: z.int() }),
  effects: 'keyed',
  approval: 'always',
  async run(_, ctx) {
    const trip = Trip.safeParse(await ctx.storage.conversation.get('trip', Draft));
    if (!trip.success) return refuse('incomplete', 'Fill in every field first.');
    const { firstDay, lastDay } = trip.data;
    const days = (Date.parse(lastDay) - Date.parse(firstDay)) / 86_400_000 + 1;
    if (days < 1) return refuse('invalid_dates', 'The last day is before the first day.');
    return { request: `T-${firstDay.replaceAll('-', '')}`, days };
  },
});
