import { randomIds } from '../../adapters/system/ids.ts';
import { createSpending } from '../../engine/spending/create-spending.ts';
import type { CounterParts } from '../../engine/spending/spend-counter.ts';
import type { SpendLimit } from '../../engine/spending/spend-limit.ts';
import type { Spending } from '../../engine/spending/spending.ts';
import type { Config } from '../config/config.ts';

/** The spending limits of `assembly.yaml`. Undefined: none. */
export function openSpending(
  { descriptors }: Pick<Config, 'descriptors'>,
  parts: Omit<CounterParts, 'process'>,
): Spending | undefined {
  const limits = limitsOf(descriptors.assembly.spending ?? {});
  if (limits.length === 0) return undefined;
  return createSpending(limits, { ...parts, process: randomIds.next('worker') });
}

type Stated = NonNullable<Config['descriptors']['assembly']['spending']>;

function limitsOf(stated: Stated): readonly SpendLimit[] {
  return (['user', 'tenant'] as const).flatMap((of) =>
    (['day', 'month'] as const).flatMap((per): readonly SpendLimit[] => {
      const { [`${per}_usd` as const]: costUsd, [`${per}_tokens` as const]: tokens } =
        stated[of] ?? {};
      if (costUsd === undefined && tokens === undefined) return [];
      const limit = { of, per, ...amountsOf({ costUsd, tokens }) };
      return [{ ...limit, ...extensionOf(limit, stated[of]?.extend) }];
    }),
  );
}

type Amounts = { readonly costUsd?: number; readonly tokens?: number };

function amountsOf({ costUsd, tokens }: Record<keyof Amounts, number | undefined>): Amounts {
  return {
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

type Extend = NonNullable<Stated['user']>['extend'];

/** In the units of the limit. */
function extensionOf(limit: SpendLimit, extend: Extend): Pick<SpendLimit, 'extend'> {
  const costUsd = limit.costUsd === undefined ? undefined : extend?.usd;
  const tokens = limit.tokens === undefined ? undefined : extend?.tokens;
  if (!extend || (costUsd === undefined && tokens === undefined)) return {};
  return { extend: { ...amountsOf({ costUsd, tokens }), times: extend.times } };
}
