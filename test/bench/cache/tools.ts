import { z } from 'zod';
import { createTool } from '../../../runtime/tools/definition/create-tool.ts';
import type { Chance } from '../../runtime/engine/simulation/chance.ts';
import type { StoryClock } from './clock.ts';
import { prose } from './workload.ts';

/** Results of the sizes that such tools give, each after the seconds that it takes. */
export function analystTools(clock: StoryClock, chance: Chance) {
  return [
    createTool({
      id: 'web.search',
      description: 'Searches the web and gives the best pages with an extract of each.',
      kind: 'bundle',
      traits: ['exploration'],
      input: z.object({ query: z.string() }),
      run: async ({ query }, { services }) => {
        clock.pass(1_000 + chance.below(4_000));
        const pages = Array.from({ length: 3 + chance.below(3) }, (_, n) => ({
          url: `https://pages.test/${chance.below(400)}/${n}`,
          title: prose(chance, 6),
          text: prose(chance, 60),
        }));
        const rows = await services.addSources(pages);
        const found = rows.map(({ sid }, n) => `[${sid}] ${pages[n]?.title}\n${pages[n]?.text}`);
        return { result: { ok: true, ret: { query, found } }, preview: found.join('\n') };
      },
    }),
    createTool({
      id: 'data.read',
      description: 'Reads rows of a table.',
      kind: 'bundle',
      traits: ['exploration'],
      input: z.object({ table: z.string(), rows: z.number() }),
      run: async ({ table, rows }) => {
        clock.pass(300 + chance.below(2_000));
        const text = Array.from({ length: rows }, (_, n) => `${table} ${n}: ${prose(chance, 9)}`);
        return { result: { ok: true, ret: text }, preview: text.join('\n') };
      },
    }),
    createTool({
      id: 'data.compute',
      description: 'Runs a program over the tables and gives what it prints.',
      kind: 'bundle',
      traits: ['exploitation'],
      input: z.object({ program: z.string(), id: z.string() }),
      run: async () => {
        clock.pass(2_000 + chance.below(20_000));
        return { result: { ok: true, ret: prose(chance, 60 + chance.below(120)) } };
      },
    }),
  ];
}
