import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { defineAgent, defineBundle, defineProps, defineTool } from 'timeloom/sdk';
import { z } from 'zod';

const settings = defineProps(z.object({ ledger: z.string() }));

const pay = payment('keyed');
const post = payment('unkeyed');

/** Its effect is two lines in a file that outlives the process. */
function payment(effects: 'keyed' | 'unkeyed') {
  return defineTool({
    id: effects === 'keyed' ? 'bank.pay' : 'bank.post',
    description: 'Has an effect.',
    effects,
    input: z.object({ ms: z.int() }),
    run: async ({ ms }, ctx) => {
      const { ledger } = ctx.props(settings);
      const write = (word: 'begin' | 'end') => {
        const line = { word, call: ctx.ids.call, key: ctx.key };
        appendFileSync(ledger, `${JSON.stringify(line)}\n`);
      };
      write('begin');
      await setTimeout(ms, undefined, { signal: ctx.signal });
      write('end');
      return { paid: ms };
    },
  });
}

const clerk = defineAgent({ id: 'clerk', instruction: 'Pay and answer.', tools: [pay, post] });

export const bundle = defineBundle({ id: 'fleet', version: '1', agents: [clerk], props: settings });
