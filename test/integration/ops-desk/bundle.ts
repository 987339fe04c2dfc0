import {
  ask,
  defineAgent,
  defineBundle,
  defineEvent,
  defineJob,
  defineOperation,
  defineProps,
  defineSecret,
  defineTool,
  defineWidget,
  refuse,
  starters,
} from 'timeloom/sdk';
import { z } from 'zod';

const settings = defineProps(
  z.object({ prometheus: z.url(), services: z.array(z.string()).min(1) }),
);
const deployKey = defineSecret({
  id: 'DEPLOY_KEY',
  for: 'bundle',
  description: 'may restart services',
});
const pagerKey = defineSecret({
  id: 'PAGER_KEY',
  for: 'bundle',
  description: 'sent by the pager with every alert',
});
const Alert = z.object({ service: z.string(), text: z.string() });
const alert = defineEvent({
  kind: 'alert',
  reactive: true,
  payload: Alert,
  text: ({ service, text }) => `ALERT ${service}: ${text}`,
});

const query = defineTool({
  id: 'metrics.query',
  description: 'p95 latency of one service in milliseconds, newest last.',
  input: z.object({ service: z.string(), minutes: z.int().min(1).max(1440).default(60) }),
  traits: ['exploration'],
  effects: 'none',
  concurrency: 'safe',
  timeoutMs: 10_000,
  async *run({ service, minutes }, ctx) {
    const { prometheus, services } = ctx.props(settings);
    if (!services.includes(service))
      return refuse('service_unknown', `No ${service}. There are: ${services.join(', ')}.`);
    yield `reading ${minutes} minutes of ${service}`;
    const url = `${prometheus}/p95?service=${encodeURIComponent(service)}&minutes=${minutes}`;
    const p95 = z.array(z.number()).parse(await (await ctx.fetch(url)).json());
    await ctx.sources.add([{ url, title: `p95 of ${service}` }]);
    await using page = ctx.canvas(`${service}.json`, { mime: 'application/vnd.ops.latency+json' });
    page.write(JSON.stringify({ service, p95 }));
    return { service, p95 };
  },
});
const restart = defineTool({
  id: 'service.restart',
  description: 'Restarts one service; takes about a minute.',
  input: z.object({ service: z.string(), reason: z.string() }),
  traits: ['exploitation'],
  effects: 'keyed',
  approval: ({ service, reason }) => ask(`Restart ${service}?`, { detail: reason }),
  async run({ service }, ctx) {
    const headers = {
      authorization: `Bearer ${await ctx.secrets.get(deployKey)}`,
      'idempotency-key': ctx.key,
    };
    const response = await ctx.fetch(`https://deploy.acme.io/restart/${service}`, {
      method: 'POST',
      headers,
    });
    return response.ok ? { restarted: service } : refuse('restart_refused', await response.text());
  },
});
const oncall = defineAgent({
  ...starters.balanced,
  id: 'oncall',
  instruction: { file: './oncall.md' },
  tools: [query, restart, 'exec_tools.*'],
  budgets: { rounds: 12, costUsd: 1 },
  policies: { multiAction: 'safe_fanout' },
});
const pager = defineOperation({
  id: 'pager',
  access: 'public',
  input: Alert.extend({ oncall: z.string() }),
  verify: (request, ctx) => ctx.secrets.matches(pagerKey, request.headers.get('x-pager-key')),
  async run({ oncall: user, ...payload }, ctx) {
    const { id } = await ctx.conversations.open({
      user,
      key: payload.service,
      title: `Pager: ${payload.service}`,
    });
    return ctx.events.send(alert, { conversation: id, payload });
  },
});
const digest = defineJob({
  id: 'digest',
  schedule: '0 7 * * *',
  timezone: 'Europe/Berlin',
  run: async (_, ctx) =>
    ctx.storage.bundle.set(
      'digest',
      await ctx.generate({ role: 'small', prompt: 'A kind line for the board.' }),
    ),
});

export const bundle = defineBundle({
  id: 'ops-desk',
  version: '1.0.0',
  props: settings,
  secrets: [deployKey, pagerKey],
  agents: [oncall],
  skills: './skills',
  events: [alert],
  operations: [pager],
  jobs: [digest],
  widgets: [
    defineWidget({
      id: 'latency',
      title: 'Latency',
      ui: './ui/latency',
      renders: ['application/vnd.ops.latency+json'],
    }),
  ],
});
