import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { jobFailuresKeptMax, jobKeyKeptMs, jobQueueMax } from '../../engine/limits.ts';
import {
  type Claim,
  type Ending,
  type Failure,
  type JobName,
  type JobStore,
  type NewErrand,
  type ServedJob,
  type Tick,
  tooManyErrands,
} from '../../engine/ports/jobs.ts';

type Errand = {
  /** Undefined: the tick. */
  readonly id: string | undefined;
  readonly row: number;
  readonly key: string | undefined;
  readonly input: string;
  running: boolean;
  dueMs: number;
  attempts: number;
};

type Row = {
  readonly name: JobName;
  scheduleText: string | undefined;
  fence: number;
  leaseMs: number | undefined;
  done: number;
  failed: number;
  /** Items that are not finished. */
  errands: Errand[];
  /** By id and by key; includes finished items with a key. */
  readonly known: Map<string, Errand>;
  readonly over: { readonly errand: Errand; readonly atMs: number }[];
  failures: Failure[];
};

/** Jobs in memory, lost when the process ends. */
export function createMemoryJobs({ clock }: { clock: Pick<Clock, 'now'> }): JobStore {
  return new MemoryJobs(() => clock.now());
}

class MemoryJobs implements JobStore {
  readonly #rows = new Map<string, Row>();
  readonly #now: () => number;
  #lastRow = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  async now(): Promise<number> {
    return this.#now();
  }

  async enqueue(name: JobName, { id, key, input, delayMs }: NewErrand): Promise<string> {
    const row = this.#row(name);
    const now = this.#now();
    forget(row, now - jobKeyKeptMs);
    const names = [`id ${id}`, ...(key === undefined ? [] : [`key ${key}`])];
    const known = names.flatMap((one) => row.known.get(one)?.id ?? [])[0];
    if (known !== undefined) return known;
    if (this.#waitingIn(name) >= jobQueueMax) throw tooManyErrands();
    const dueMs = now + delayMs;
    const errand = { ...this.#fresh(), id, key, input: JSON.stringify(input), dueMs };
    row.errands.push(errand);
    for (const one of names) row.known.set(one, errand);
    return id;
  }

  async schedule(name: JobName, tick: Tick | undefined): Promise<void> {
    const row = this.#row(name);
    if (row.scheduleText === tick?.scheduleText) return;
    row.scheduleText = tick?.scheduleText;
    row.errands = row.errands.filter(({ id }) => id !== undefined);
    if (!tick) return;
    const nothing = { id: undefined, key: undefined, input: '{}' };
    row.errands.push({ ...this.#fresh(), ...nothing, dueMs: tick.dueMs });
  }

  async claim(
    jobs: readonly ServedJob[],
    { ttlMs }: { ttlMs: number },
  ): Promise<Claim | undefined> {
    const nowMs = this.#now();
    const due = jobs
      .flatMap((job) => this.#errandsOf(job, nowMs))
      .filter(({ errand }) => errand.dueMs <= nowMs)
      .toSorted((a, b) => a.errand.dueMs - b.errand.dueMs)[0];
    if (!due) return undefined;
    const { row, errand } = due;
    row.fence += 1;
    row.leaseMs = nowMs + ttlMs;
    const { running: interrupted } = errand;
    errand.running = true;
    if (!interrupted) errand.attempts += 1;
    const { name, fence } = row;
    const { id, row: number, attempts: attempt, dueMs } = errand;
    const what = { errand: id, row: number, input: inputOf(errand), attempt, interrupted };
    return { name, fence, ...what, dueMs, nowMs };
  }

  async renew(claim: Claim, { ttlMs }: { ttlMs: number }): Promise<boolean> {
    const row = this.#held(claim);
    if (row) row.leaseMs = this.#now() + ttlMs;
    return row !== undefined;
  }

  async finish(claim: Claim, ending: Ending): Promise<boolean> {
    const row = this.#row(claim.name);
    if (row.fence !== claim.fence) return false;
    if (row.leaseMs === undefined) return true;
    row.leaseMs = undefined;
    const errand = row.errands.find((one) => one.row === claim.row);
    if (errand) errand.running = false;
    const retryMs = ending.kind === 'failed' ? ending.retryMs : undefined;
    if (ending.kind === 'done') row.done += 1;
    else this.#fail(row, { errand, claim, error: ending.error, final: retryMs === undefined });
    if (!errand) return true;
    if (retryMs !== undefined) errand.dueMs = this.#now() + retryMs;
    else this.#settle(row, errand, ending.nextMs);
    return true;
  }

  async counts({ tenant, project }: { tenant: string; project: string }) {
    return [...this.#rows.values()]
      .filter(({ name }) => name.tenant === tenant && name.project === project)
      .map(({ name: { bundle, job }, errands, done, failed }) => {
        return { bundle, job, waiting: waitingOf(errands), done, failed };
      })
      .toSorted((a, b) => compare(a.bundle, b.bundle) || compare(a.job, b.job));
  }

  async failures(name: JobName, { limit }: { limit: number }): Promise<readonly Failure[]> {
    return this.#row(name).failures.slice(0, limit);
  }

  #fail(
    row: Row,
    failure: { errand: Errand | undefined; claim: Claim; error: string; final: boolean },
  ): void {
    const { errand, claim, error, final } = failure;
    row.failed += 1;
    const { errand: id, attempt } = claim;
    const input = errand ? inputOf(errand) : {};
    row.failures.unshift({ errand: id, attempt, final, error, input, atMs: this.#now() });
    row.failures.splice(jobFailuresKeptMax);
  }

  #settle(row: Row, errand: Errand, nextMs: number | undefined): void {
    if (errand.id === undefined) {
      errand.attempts = 0;
      errand.dueMs = nextMs ?? errand.dueMs;
      return;
    }
    row.errands.splice(row.errands.indexOf(errand), 1);
    if (errand.key === undefined) row.known.delete(`id ${errand.id}`);
    else row.over.push({ errand, atMs: this.#now() });
  }

  /** The item has not been started. */
  #fresh() {
    this.#lastRow += 1;
    return { row: this.#lastRow, running: false, attempts: 0 };
  }

  /** Items that may run here, whenever they are due. */
  #errandsOf({ scheduleText, ...name }: ServedJob, nowMs: number) {
    const row = this.#rows.get(placeOf(name));
    if (!row || (row.leaseMs ?? 0) > nowMs) return [];
    return row.errands
      .filter(({ id }) => id !== undefined || row.scheduleText === scheduleText)
      .map((errand) => ({ row, errand }));
  }

  #held({ name, fence }: Claim): Row | undefined {
    const row = this.#row(name);
    return row.fence === fence && row.leaseMs !== undefined ? row : undefined;
  }

  #waitingIn({ tenant, project, bundle }: JobName): number {
    const isOf = ({ name }: Row) =>
      name.tenant === tenant && name.project === project && name.bundle === bundle;
    const rows = [...this.#rows.values()].filter(isOf);
    return rows.reduce((sum, { errands }) => sum + waitingOf(errands), 0);
  }

  #row(name: JobName): Row {
    const place = placeOf(name);
    const known = this.#rows.get(place);
    if (known) return known;
    const counts = { fence: 0, leaseMs: undefined, done: 0, failed: 0 };
    const lists = { errands: [], over: [], failures: [] };
    const row: Row = { name, scheduleText: undefined, ...counts, ...lists, known: new Map() };
    this.#rows.set(place, row);
    return row;
  }
}

function placeOf({ tenant, project, bundle, job }: JobName): string {
  return JSON.stringify([tenant, project, bundle, job]);
}

/** A tick is not queued; it is the only item without an id. */
function waitingOf(errands: readonly Errand[]): number {
  return errands.length - (errands.some(({ id }) => id === undefined) ? 1 : 0);
}

/** Drops the keys of items that were finished at that time. */
function forget({ over, known }: Row, atMs: number): void {
  for (let first = over[0]; first && first.atMs <= atMs; first = over[0]) {
    over.shift();
    known.delete(`id ${first.errand.id}`);
    known.delete(`key ${first.errand.key}`);
  }
}

function inputOf({ input }: Errand): Json {
  return JSON.parse(input);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
