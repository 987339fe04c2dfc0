import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';

/** What one process has spent and reserved in a space. Only that process writes it. */
const SpendRecord = z.object({
  tokens: z.number(),
  cost_usd: z.number(),
  reserved_tokens: z.number(),
  reserved_usd: z.number(),
  /** Reservations count until then; a process that died releases nothing. */
  until: z.number(),
});
const Consent = z.object({ tokens: z.number(), cost_usd: z.number() });

export type Sums = {
  readonly spent: Reservation;
  readonly reserved: Reservation;
  /** What users have added to the limit, and how often. */
  readonly added: Reservation;
  readonly consents: number;
};

export const nothing: Reservation = { tokens: 0, costUsd: 0 };
/** Processes have ids without a dot. */
const consentPrefix = 'consent.';

type Reading = {
  readonly now: number;
  /** This process knows its own amounts better. */
  readonly except: string;
  /** No further consents count, even if several were given at the same time. */
  readonly consentsMax: number;
};

/** The sums of all processes but one. */
export function sumsOf(
  entries: ReadonlyMap<string, Json>,
  { now, except, consentsMax }: Reading,
): Sums {
  let [spent, reserved] = [nothing, nothing];
  for (const [key, value] of entries) {
    if (key === except || key.startsWith(consentPrefix)) continue;
    const record = SpendRecord.parse(value);
    spent = plus(spent, toAmount(record));
    if (record.until > now) reserved = plus(reserved, reservedIn(record));
  }
  const consents = [...entries.keys()].filter((key) => key.startsWith(consentPrefix)).toSorted();
  const counted = consents.slice(0, consentsMax).map((key) => Consent.parse(entries.get(key)));
  const added = counted.map(toAmount).reduce(plus, nothing);
  return { spent, reserved, added, consents: consents.length };
}

export function spentIn(value: Json): Reservation {
  return toAmount(SpendRecord.parse(value));
}

type OwnAmounts = {
  readonly spent: Reservation;
  readonly reserved: Reservation;
  readonly until: number;
};

export function recordOf({ spent, reserved, until }: OwnAmounts): z.output<typeof SpendRecord> {
  return {
    tokens: spent.tokens,
    cost_usd: spent.costUsd,
    reserved_tokens: reserved.tokens,
    reserved_usd: reserved.costUsd,
    until,
  };
}

/** The entry of a consent: a repetition writes the same entry again. */
export function consentEntry(
  consent: string,
  { tokens, costUsd }: Reservation,
): readonly [string, Json] {
  return [`${consentPrefix}${consent}`, { tokens, cost_usd: costUsd }];
}

export function plus(one: Reservation, other: Reservation): Reservation {
  return { tokens: one.tokens + other.tokens, costUsd: one.costUsd + other.costUsd };
}

function toAmount({ tokens, cost_usd: costUsd }: z.output<typeof Consent>): Reservation {
  return { tokens, costUsd };
}

function reservedIn(record: z.output<typeof SpendRecord>): Reservation {
  return { tokens: record.reserved_tokens, costUsd: record.reserved_usd };
}
