import {
  defineAgent,
  defineBundle,
  defineEvent,
  defineOperation,
  defineSecret,
} from 'timeloom/sdk';
import { z } from 'zod';

const boxKey = defineSecret({
  id: 'BOX_KEY',
  for: 'bundle',
  description: 'sent by the return box',
});

const Book = z.object({ title: z.string() });
const dropped = defineEvent({
  kind: 'dropped',
  reactive: true,
  payload: Book,
  text: ({ title }) => `“${title}” was dropped into the return box.`,
});

const box = defineOperation({
  id: 'box',
  access: 'public',
  input: Book.extend({ reader: z.string() }),
  verify: (request, ctx) => ctx.secrets.matches(boxKey, request.headers.get('x-box-key')),
  async run({ reader, title }, ctx) {
    const { id } = await ctx.conversations.open({ user: reader, key: 'returns', title: 'Returns' });
    return ctx.events.send(dropped, { conversation: id, payload: { title } });
  },
});

const dueOn = defineOperation({
  id: 'due-on',
  method: 'GET',
  input: z.object({ lent: z.iso.date(), weeks: z.int().min(1).max(8).default(4) }),
  run: ({ lent, weeks }, ctx) => {
    const due = new Date(Date.parse(lent) + weeks * 7 * 86_400_000);
    return { reader: ctx.ids.user, due: due.toISOString().slice(0, 10) };
  },
});

const librarian = defineAgent({ id: 'librarian', instruction: { file: './librarian.md' } });

export const bundle = defineBundle({
  id: 'library-with-operations',
  version: '1.0.0',
  agents: [librarian],
  secrets: [boxKey],
  events: [dropped],
  operations: [box, dueOn],
});
