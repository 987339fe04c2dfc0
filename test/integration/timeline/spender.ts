import { setTimeout } from 'node:timers/promises';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { isRefusal } from '../../../runtime/base/refusal.ts';
import { createSpending } from '../../../runtime/engine/spending/create-spending.ts';

/** A process of its own: turns side by side spend for each user until the limit is used up. Prints the tokens spent. */
const [url = '', name = '', limit = '0', users = '0'] = process.argv.slice(2);
const tokens = Number(limit);
const most = { tokens: 400, costUsd: 0 };
const { signal } = new AbortController();
const spent: Record<string, number> = {};
await using store = await openSqlTimelineStore(openPostgres({ url, log: silentLog }));
const parts = { storage: store.values, clock: systemClock, log: silentLog, process: name };
const spending = createSpending([{ of: 'user', per: 'month', tokens }], parts);

async function turn(user: string): Promise<void> {
  const account = { tenant: 'dev', project: 'dev', user };
  for (;;) {
    using _room = await spending.reserve(account, most, { signal });
    await setTimeout(Math.random() * 4);
    const used = 1 + Math.floor(Math.random() * most.tokens);
    await spending.charge(account, { usage: { input_tokens: used, output_tokens: 0 } });
    spent[user] = (spent[user] ?? 0) + used;
  }
}

const names = Array.from({ length: Number(users) }, (_, index) => `user_${index}`);
const ended = await Promise.allSettled(names.flatMap((user) => [turn(user), turn(user)]));
for (const end of ended) {
  if (end.status === 'fulfilled' || !isRefusal(end.reason)) throw new Error('a turn did not end');
}
process.stdout.write(JSON.stringify(spent));
