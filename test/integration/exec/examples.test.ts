import { join } from 'node:path';
import type { Bundle } from 'timeloom/sdk';
import { openRuntime, outline } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { bundle as coder } from '../../../bundles/coder/bundle.ts';
import { bundle as research } from '../../../bundles/research/bundle.ts';
import { bundle as support } from '../../../bundles/support-desk/bundle.ts';
import { bundle as trip } from '../../../bundles/trip-form/bundle.ts';
import { loadScript } from '../../../runtime/adapters/models/scripted/load-script.ts';
import { root } from '../../architecture/tree.ts';

type Example = {
  readonly bundle: Bundle;
  /** What the first lines of script.yaml say to type, and what follows from the replies. */
  readonly prompts: readonly string[];
  readonly lastAnswer: RegExp;
};

const examples: readonly Example[] = [
  {
    bundle: support,
    prompts: ['Please refund order A-1002, a wheel is broken.', 'Where is order A-1003?'],
    lastAnswer: /on its way/,
  },
  {
    bundle: coder,
    prompts: ['Write a function that turns a title into a slug, with a test.'],
    lastAnswer: /both titles pass now/,
  },
  {
    bundle: research,
    prompts: ['Since when do people drink tea?', 'And coffee?'],
    lastAnswer: /Yemen/,
  },
  {
    bundle: trip,
    prompts: ['I want to travel to Lisbon.', 'Ada Bauer', 'from 2026-12-01', 'to 2026-12-03'],
    lastAnswer: /T-20261201/,
  },
];

// proves: sdk.examples
test.each(examples.map((example) => [example.bundle.id, example] as const))(
  'the script of %s plays to its end, and every call succeeds',
  async (id, { bundle, prompts, lastAnswer }) => {
    const dir = join(root, 'bundles', id);
    const replies = loadScript(join(dir, 'script.yaml')).replies;
    const model = replies.map((reply) => ({ ...reply, delay_ms: 0 }));
    await using runtime = await openRuntime({ bundle, dir, model, exec: 'process' });
    const conversation = runtime.connect().conversation();
    const watch = (async () => {
      for await (const event of conversation.events()) {
        if (event.type !== 'chat.approval') continue;
        await conversation.decide(event.data.request, { allow: true });
      }
    })();
    const answers: string[] = [];
    const results: string[] = [];
    for (const prompt of prompts) {
      const turn = await conversation.send(prompt);
      answers.push((await turn.done()).text);
      results.push(...outline(await turn.blocks(), 'react.tool.result', 'react.violation'));
    }
    expect(answers.at(-1)).toMatch(lastAnswer);
    expect(new Set(results)).toEqual(new Set(['react.tool.result ok']));
    // The one reply that is left reports the end of the script.
    expect(runtime.model.requests).toHaveLength(replies.length - 1);
    await runtime.connect().conversation(conversation.id).erase();
    await watch.catch(() => undefined);
  },
);
