import {
  defineAgent,
  defineBundle,
  defineOperation,
  defineResource,
  defineSkill,
  defineTool,
  dispatch,
  external,
  Fault,
  Refusal,
  starters,
} from 'timeloom/sdk';
import { z } from 'zod';

const Shelves = z.record(z.string(), z.int());

const shelves = defineResource({
  id: 'shelves',
  open: async (ctx) => new Map(Object.entries(await ctx.asset('./shelves.json').json(Shelves))),
  close: (map) => map.clear(),
});

function shelfOf(map: ReadonlyMap<string, number>, title: string): number {
  const shelf = map.get(title);
  if (shelf !== undefined) return shelf;
  throw new Refusal('unknown_title', `No book is called “${title}”.`);
}

export const where = defineTool({
  id: 'shelves.where',
  description: 'Says on which shelf a book stands.',
  input: z.object({ title: z.string() }),
  output: z.object({ shelf: z.int() }),
  effects: 'none',
  async run({ title }, ctx) {
    ctx.progress({ text: `looking for ${title}`, fraction: 0.5 });
    const shelf = shelfOf(await ctx.use(shelves), title);
    ctx.emit('library.shelf', { shelf });
    return { shelf };
  },
});

const order = defineTool({
  id: 'shelves.order',
  description: 'Orders a copy of a book.',
  input: z.object({ title: z.string(), branch: z.string() }),
  effects: 'keyed',
  preset: { branch: (ctx) => ctx.ids.project },
  async run({ title, branch }, ctx) {
    const response = await ctx.fetch('https://shop.test/orders', {
      method: 'POST',
      headers: { 'idempotency-key': ctx.key },
      body: JSON.stringify({ title, branch }),
    });
    ctx.log.info('book ordered', { status: response.status });
    return { ordered: response.ok };
  },
});

const blurb = defineTool({
  id: 'shelves.blurb',
  description: 'Writes a leaflet about a book.',
  input: z.object({ title: z.string() }),
  async run({ title }, ctx) {
    const { shelf } = await ctx.call(where, { title });
    const liked = await ctx.memory.search({ query: title, targets: ['user'], limit: 3 });
    const { text } = await ctx.generate({
      role: 'small',
      prompt: `Praise “${title}”. Readers said: ${liked.map((hit) => hit.text).join('; ')}`,
      output: z.object({ text: z.string() }),
    });
    ctx.signal.throwIfAborted();
    const { path } = await ctx.files.write('outputs/leaflet.md', `${text} Shelf ${shelf}.`);
    await ctx.memory.note(`wrote a leaflet about ${title}`, { tag: 'A' });
    await ctx.storage.conversation.set('leaflet', path);
    return { path, asked: (await ctx.read(`ar:${ctx.ids.turn}.user.prompt`)).text ?? '' };
  },
});

const share = defineTool({
  id: 'shelves.share',
  description: 'Gives the address of the last leaflet.',
  input: z.object({}),
  async run(_, ctx) {
    const path = await ctx.storage.conversation.get('leaflet', z.string());
    if (path === undefined) throw new Refusal('no_leaflet', 'Write a leaflet first.');
    try {
      const file = await ctx.files.read(path);
      return {
        url: (await ctx.files.host(path)).url,
        words: (await file.text()).split(' ').length,
      };
    } catch (error) {
      if (error instanceof Fault) ctx.log.warn('leaflet not read', { code: error.code });
      throw error;
    }
  },
});

const print = defineTool({
  id: 'shelves.print',
  description: 'Prints a leaflet.',
  input: z.object({ path: z.string() }),
  run: dispatch({ url: 'https://printer.test/run' }),
});

const point = defineTool({
  id: 'screen.point',
  description: 'Shows a shelf on the screen of the reader.',
  input: z.object({ shelf: z.int() }),
  output: z.object({ shown: z.boolean() }),
  run: external({ timeoutMs: 60_000 }),
});

const leaflets = defineSkill({
  id: 'leaflets',
  name: 'Leaflets',
  description: 'How a leaflet reads.',
  text: 'Two sentences at most, and the shelf.',
  tools: [{ id: 'shelves.blurb', why: 'writes them', required: true }],
});

const guide = defineAgent({
  ...starters.minimal,
  id: 'guide',
  instruction: 'You lead readers to their books.',
  tools: [where, order, blurb, share, print],
  budgets: { rounds: 10 },
  groups: { screen: { description: 'The screen of the reader.', tools: [point] } },
});

const greeting = defineOperation({
  id: 'greeting',
  method: 'GET',
  input: z.object({}),
  run: (_, ctx) => ({
    text: ctx.request.headers.get('accept-language') === 'de' ? 'Willkommen' : 'Welcome',
  }),
});

export const bundle = defineBundle({
  id: 'library-shelves',
  version: '1.0.0',
  agents: [guide],
  skills: [leaflets],
  resources: [shelves],
  operations: [greeting],
  onLoad: (ctx) => ctx.log.info('loaded', { revision: ctx.ids.revision }),
  dispose: () => undefined,
});
