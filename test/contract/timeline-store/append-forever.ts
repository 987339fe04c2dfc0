import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { append, started, thought } from './kit.ts';

/** Writes to the directory of its first argument until killed, and prints the head of every reply. */
const [, , dir, durable] = process.argv;
const store = await openPgliteTimelineStore({ dir, durable: durable === 'durable' });
const { key, lease } = await started(store);
const signal = new AbortController().signal;
for (;;) {
  const blocks = [thought(lease, 'x'.repeat(500)), thought(lease)];
  const { head } = await store.append(key, append(lease, { blocks }), { signal });
  process.stdout.write(`${key} ${head}\n`);
}
