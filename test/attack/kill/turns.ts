import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import { isJsonObject } from '../../../runtime/base/json.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import {
  type ConversationKey,
  toConversationKey,
  toSeq,
  toTurnId,
  turnToChoose,
} from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import { verify } from '../../../runtime/timeline/verify/verify.ts';
import { patient } from '../../tools/machine-speed.ts';
import { Ledger } from './bank.ts';
import type { Life } from './kill-plan.ts';
import type { Backend, Doomed, WorkerOptions } from './spawn-worker.ts';
import { doubtsIn, expectNothingTwice } from './world.ts';

const sender = { tenant: 'kill', project: 'demo', user: 'ann' };
const { signal } = new AbortController();
/** Turns that wait for a worker or are worked on. */
const turnsAtOnce = 3;
const lastTurnsMsMax = patient(120_000);

type Options = {
  readonly url: string;
  readonly dir: string;
  readonly backend: Backend;
  readonly start: (options: WorkerOptions) => Doomed;
  readonly kills: number;
  readonly lives: Generator<Life, never>;
};

/** Whole turns, whose workers are killed one after the other; another takes over at once. */
export async function killWorkers({ url, dir, backend, kills, lives, ...options }: Options) {
  await using database = openPostgres({ url, log: silentLog });
  const store = await openSqlTimelineStore(database);
  const keys: ConversationKey[] = [];
  const open = async () => {
    const sql = 'select count(*)::int as n from conversation where open_turn is not null';
    const [row] = await database.query(sql, []);
    return isJsonObject(row) ? Number(row['n']) : 0;
  };
  const feed = async () => {
    for (let count = await open(); count < turnsAtOnce; count += 1) keys.push(await prompt());
  };
  const prompt = async () => {
    const message = randomIds.next('msg');
    const event = {
      type: 'user.prompt',
      turn: turnToChoose,
      author: 'user',
      event: message,
    } as const;
    const accepted = await store.accept(
      {
        sender,
        newConversation: randomIds.next('conv'),
        message,
        digest: message,
        events: [
          { ...event, path: toBlockPath('ar:$turn.user.prompt'), text: 'Pay and post', data: {} },
        ],
        reactive: true,
        newTurn: toTurnId(randomIds.next('turn')),
        turnData: { bundle: 'test', agent: 'main', text: 'Pay and post' },
      },
      { signal },
    );
    return accepted.key ?? toConversationKey(0);
  };
  const start = () => options.start({ name: randomIds.next('worker'), url, dir, backend });
  // The next one starts while this one works.
  const workers = [start(), start()];
  for (let killed = 0; killed < kills; killed += 1) {
    const { from, ms } = lives.next().value;
    let there: number | undefined;
    while (there === undefined) {
      // What they have taken over may have nothing left to begin.
      await feed();
      there = await Promise.race([
        ...workers.map((worker, at) => worker.reaches(from).then(() => at)),
        pause(),
      ]);
    }
    await setTimeout(ms);
    const [worker] = workers.splice(there, 1, start());
    await worker?.kill();
    // Its lease ends: time that nobody need wait for.
    await database.query(
      `update conversation set lease_by = null, lease_until = null,
          due_at = case when open_turn is not null then clock_timestamp() else due_at end
        where lease_by = $1`,
      [worker?.name ?? ''],
    );
  }
  for (const until = performance.now() + lastTurnsMsMax; (await open()) > 0; await pause()) {
    if (performance.now() > until) throw new Error('the last turns do not end');
  }
  await Promise.all(workers.map((worker) => worker.kill()));
  const ledger = new Ledger(dir);
  const logs = keys.map((key) => store.read(key, { after: toSeq(0), limit: 1_000, signal }));
  for (const log of await Promise.all(logs)) expectHonest(log, ledger);
  expectNothingTwice(ledger);
  expect(await database.query('select id from program_call', [])).toEqual([]);
  return { turns: keys.length, effects: ledger.lines().length };
}

async function pause(): Promise<undefined> {
  await setTimeout(200);
}

/** A legal log, in which whatever was cut off is in doubt, for the model and for people. */
function expectHonest(log: readonly Block[], ledger: Ledger): void {
  expect(verify(log)).toEqual([]);
  expect(log.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
  for (const { call = '', text = '' } of log.filter(({ type }) => type === 'react.tool.result')) {
    const cut = ledger.cutOff(call);
    const notice = log.find((block) => block.type === 'react.notice' && block.call === call);
    const { code, calls } = isJsonObject(notice?.data) ? notice.data : {};
    const shown = Array.isArray(calls) ? calls.map((each) => isJsonObject(each) && each['id']) : [];
    expect(shown).toEqual(expect.arrayContaining([...cut]));
    expect(doubtsIn(`${text}\n${notice?.text}`)).toEqual(expect.arrayContaining([...cut]));
    if (cut.length > 0) expect(code).toBe('in_doubt');
  }
}
