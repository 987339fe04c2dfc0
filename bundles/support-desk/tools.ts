import { ask, defineTool, refuse, type ToolContext } from 'timeloom/sdk';
import { z } from 'zod';
import { settings } from './settings.ts';

const Order = z.object({
  order: z.string(),
  customer: z.string(),
  item: z.string(),
  priceEur: z.number(),
  state: z.enum(['delivered', 'on its way']),
});

const number = z.string().regex(/^A-\d{4}$/, 'an order number such as A-1002');

export const find = defineTool({
  id: 'orders.find',
  description: 'Finds an order by its number: customer, item, price and state.',
  input: z.object({ order: number }),
  traits: ['exploration'],
  effects: 'none',
  concurrency: 'safe',
  run: ({ order }, ctx) => orderOf(order, ctx),
});

export const refund = defineTool({
  id: 'orders.refund',
  description: 'Refunds a delivered order. A second call for the same order changes nothing.',
  input: z.object({ order: number, reason: z.string().min(1) }),
  output: z.object({ order: z.string(), refundedEur: z.number() }),
  traits: ['exploitation'],
  effects: 'keyed',
  approval: async ({ order, reason }, ctx) => {
    const { approvalAboveEur } = ctx.props(settings);
    const { priceEur, customer } = await orderOf(order, ctx);
    if (priceEur <= approvalAboveEur) return undefined;
    return ask(`Refund ${priceEur} EUR to ${customer}?`, { detail: reason });
  },
  async run({ order }, ctx) {
    const { priceEur, state } = await orderOf(order, ctx);
    if (state !== 'delivered') return refuse('not_delivered', `Order ${order} is ${state}.`);
    await ctx.storage.bundle.set(`refund/${order}`, { priceEur });
    return { order, refundedEur: priceEur };
  },
});

async function orderOf(order: string, ctx: Pick<ToolContext, 'asset'>) {
  const orders = await ctx.asset('./orders.json').json(z.array(Order));
  const found = orders.find((each) => each.order === order);
  if (found === undefined) throw refuse('order_not_found', `There is no order ${order}.`);
  return found;
}
