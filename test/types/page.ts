// proves: sdk.spelling

import {
  ask,
  defineAgent,
  defineBundle,
  defineEvent,
  defineHook,
  defineJob,
  defineKnowledge,
  defineOperation,
  defineProps,
  defineResource,
  defineSecret,
  defineSkill,
  defineTool,
  defineWidget,
  delegate,
  dispatch,
  external,
  refuse,
  sandbox,
  starters,
} from 'timeloom/sdk'; // that is all of it
import { z } from 'zod';

const add = defineTool({
  // the smallest tool
  id: 'math.add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const crawl = defineTool({
  // every option; a generator streams
  id: 'site.crawl',
  description: 'Reads the pages of one site.',
  input: z.object({ site: z.url(), depth: z.int().max(3).default(1), tenant: z.string() }),
  traits: ['exploration'], // exploration | exploitation | neutral; none = unknown: alone in its round
  effects: 'none', // none | keyed (ctx.key is the same on every retry) | unkeyed (default): never repeated
  concurrency: 'safe', // safe | alone (default): may it run beside its neighbours
  timeoutMs: 60_000,
  callsPerTurn: 5,
  resultLimit: 8_000, // characters the model sees; the whole result stays under tc:
  preset: { tenant: (ctx) => ctx.ids.tenant }, // not in the schema the model sees; wins if the model sends it anyway
  approval: ({ depth }) => (depth > 1 ? ask('Crawl deep?', { remember: 'turn' }) : undefined), // or 'always', 'never'
  async *run({ site }, ctx) {
    yield `reading ${site}`; // what is yielded is progress: text, or { text, fraction, data }
    const response = await ctx.fetch(site);
    if (!response.ok)
      return refuse('site_down', `${site} answers ${response.status}.`, { retryable: true });
    const page = await ctx.files.write('outputs/page.html', await response.text(), {
      visibility: 'internal',
    });
    return { pages: 1, page }; // a file belongs to the call that wrote it; returning it shows its fi: path
  },
});
const shallow = crawl.with({ preset: { depth: 1 }, approval: 'never' }); // the same tool with other options
const locate = defineTool({
  // output is optional: checked, and what generated code, MCP and ctx.call see
  id: 'browser.locate',
  description: 'Where the user is.',
  input: z.object({}),
  output: z.object({ lat: z.number(), lon: z.number() }),
  run: external({ timeoutMs: 300_000 }), // the client runs it; the turn parks meanwhile. Three more places to run:
});
dispatch({ url: 'https://crm.acme.io/run' }); // POST { name, arguments, call_id } → any JSON
sandbox({ file: './scripts/fit.py' }); // your script in the executor, INPUT → RESULT, no network
delegate({ agent: 'researcher', rounds: 6 }); // a sub-agent, in a conversation of its own

const settings = defineProps(
  z.object({ region: z.enum(['eu', 'us']).default('eu'), unit: z.enum(['ms', 's']).default('ms') }),
  { perUser: ['unit'] },
); // who wins: user (these keys only) → live → bundles.yaml → the schema's default
const crmKey = defineSecret({ id: 'CRM_KEY', for: 'bundle', description: 'key of crm.acme.io' }); // bundle | platform | user
const cache = defineResource({
  id: 'cache',
  open: () => new Map<string, string>(),
  close: (map) => map.clear(),
}); // one per process

const main = defineAgent({
  ...starters.balanced, // plain options to start from: balanced | minimal | long | debug
  id: 'main',
  instruction: { file: './main.md' }, // or the text; it follows the channel protocol, which cannot be edited
  tools: [add, shallow, 'web_tools.*', 'exec_tools.*', 'mcp.github.*'], // yours as values; built-in and MCP ones by id
  groups: { browser: { description: 'Act in the browser.', tools: [locate], active: false } }, // the model may switch it on
  models: { decision: 'anthropic:claude-sonnet-4-5', summary: 'anthropic:claude-haiku-4-5' }, // + answer selection small
  budgets: { rounds: 15, tokens: 400_000, costUsd: 1, wallMs: 600_000, actionsPerRound: 2 },
  policies: {
    multiAction: 'safe_fanout',
    malformed: 'degrade',
    toolFailure: 'continue',
    exhausted: 'finalize',
    hiddenTool: 'refuse',
    steer: 'finalize',
  },
  context: { maxTokens: 80_000, recentTurns: 6, intactTurns: 1, ttlMs: 300_000 },
  exec: { languages: ['python', 'javascript'], timeoutMs: 60_000, memoryMb: 512 },
  skills: ['*'], // ids or patterns; default: all of this bundle
  protocol: 'auto', // channels | native-tools | json | plain
  answer: 'inline', // inline | synthesize (one more call writes the answer) | auto
  channels: [{ id: 'risk', format: 'markdown', description: 'One line on what could go wrong.' }],
  output: z.object({ verdict: z.enum(['ship', 'hold']) }), // the completion carries this, checked
});

const board = defineWidget({ id: 'board', title: 'Board', ui: './ui/board', main: true }); // index.html: served · package.json: Vite
const chart = defineWidget({
  id: 'chart',
  title: 'Chart',
  ui: './ui/chart',
  renders: ['application/vnd.acme.chart+json'],
}); // a canvas type
const alert = defineEvent({
  kind: 'alert',
  reactive: true,
  payload: z.object({ text: z.string() }),
  text: ({ text }) => `ALERT ${text}`,
});
const near = defineOperation({
  id: 'near',
  method: 'GET',
  input: z.object({ city: z.string() }),
  run: ({ city }) => ({ city }),
}); // access: 'user'
const ping = defineOperation({
  id: 'ping',
  access: 'public',
  input: z.object({ conversation: z.string(), text: z.string() }),
  verify: (request, ctx) => ctx.secrets.matches(crmKey, request.headers.get('x-key')), // a must when public; or 'none'
  run: ({ conversation, text }, ctx) => ctx.events.send(alert, { conversation, payload: { text } }),
});
const sweep = defineJob({
  id: 'sweep',
  schedule: '0 * * * *',
  timezone: 'Europe/Berlin',
  run: async (_, ctx) => (await ctx.use(cache)).clear(),
}); // once in the fleet; on: 'each' for every process
const mail = defineJob({
  id: 'mail',
  input: z.object({ to: z.email() }),
  attempts: 3, // no schedule: a durable queue, filled
  run: ({ to }, ctx) => ctx.log.info('mail sent', { to }),
}); // by ctx.jobs.enqueue(mail, { to }, { key })
const docs = defineKnowledge({
  repo: '',
  ref: 'main',
  roots: { docs: 'docs', src: 'src' },
  validateRefs: true,
}); // or { search, read }

const house = defineHook({
  id: 'house-rules',
  guard: {
    tool: (call) => (call.tool === 'crm.find' ? refuse('closed', 'The CRM is closed.') : undefined),
  }, // at: event tool completion emit
  transform: { result: (result) => ({ ...result, ret: 'redacted' }) }, // at: event tool result completion
  observe: { block: (block, ctx) => ctx.log.debug('block appended', { type: block.type }) },
});
export const bundle = defineBundle({
  id: 'acme',
  version: '1.0.0',
  agents: [main],
  skills: './skills',
  knowledge: docs, // the first agent is the default
  props: settings,
  secrets: [crmKey],
  resources: [cache],
  hooks: [house],
  widgets: [board, chart],
  operations: [near, ping],
  events: [alert],
  jobs: [sweep, mail],
  mcp: {
    use: [{ id: 'github', url: 'https://mcp.acme.io/github', bearer: crmKey, allow: ['search_*'] }], // or command, args, env
    expose: [{ id: 'acme', access: { roles: ['editor'] }, tools: [add], agents: [main] }],
  }, // access: user | roles | public
  onLoad: (ctx) => ctx.log.info('loaded', { revision: ctx.ids.revision }), // once per process and revision, before any traffic
  onPropsChanged: async (ctx) => (await ctx.use(cache)).clear(), // the new props are already in force
  dispose: () => undefined, // after this revision's last run; its resources close next, newest first
});

defineSkill({
  id: 'latency-report',
  name: 'Latency report',
  description: 'How a latency report looks.',
  text: { file: './latency.md' },
  tools: [{ id: 'site.crawl', why: 'reads the pages', required: true }],
  sources: [{ url: 'https://acme.io/style', title: 'House style' }],
});
