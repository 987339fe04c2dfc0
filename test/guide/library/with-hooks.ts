import { ask, defineAgent, defineBundle, defineHook, refuse, starters } from 'timeloom/sdk';
import { settings } from './settings.ts';
import { lend } from './tools.ts';

const phone = /\+?\d[\d ]{7,}\d/g;

const house = defineHook({
  id: 'house-rules',
  guard: {
    tool: ({ tool, input }) => {
      if (tool !== 'library.lend') return undefined;
      if (input['title'] === 'Atlas')
        return refuse('reference_only', 'The atlas stays in the house.');
      return String(input['title']).startsWith('Rare') ? ask('Lend a rare book?') : undefined;
    },
    completion: ({ text }) =>
      text.includes('guarantee') ? refuse('no_promises', 'Promise nothing.') : undefined,
  },
  transform: {
    event: (event) => ({ ...event, text: (event.text ?? '').replaceAll(phone, '(a number)') }),
    completion: ({ text }) => ({ text: text.replaceAll(phone, '(a number)') }),
  },
  observe: {
    block: ({ type, seq }, ctx) => ctx.log.debug('block appended', { type, seq }),
  },
});

const agent = defineAgent({
  ...starters.balanced,
  id: 'warden',
  instruction: 'You lend books by the rules of the house.',
  tools: [lend],
});

export const bundle = defineBundle({
  id: 'library-with-rules',
  version: '1.0.0',
  props: settings,
  agents: [agent],
  hooks: [house],
});
