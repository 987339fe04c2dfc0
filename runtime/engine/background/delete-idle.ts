import type { IdleFilter } from '../../timeline/ports/overview.ts';
import type { ConversationRow, ProjectScope } from '../../timeline/ports/store.ts';
import { idleDeletedMax, idlePageMax } from '../limits.ts';
import type { Engine } from '../ports/engine.ts';

/** After how many days without activity conversations are deleted. */
export type Retention = {
  /** Undefined: conversations are kept, unless their bundle has a rule. */
  readonly days?: number | undefined;
  /** By bundle, in place of `days`. */
  readonly bundles: Readonly<Record<string, number>>;
};

type Parts = Pick<Engine, 'store' | 'bus' | 'memory' | 'clock' | 'log'>;
type Rule = { readonly days: number; readonly filter: IdleFilter };

/**
 * Erases conversations that have been idle for longer than the rule of the bundle that worked on them last allows, the
 * longest idle first. A conversation with an open turn is in use. One run deletes a limited number.
 */
export async function deleteIdle(
  parts: Parts,
  { place, retention }: { readonly place: ProjectScope; readonly retention: Retention },
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  let deleted = 0;
  for (const { days, filter } of rulesOf(retention)) {
    const since = new Date(parts.clock.now() - days * dayMs).toISOString();
    while (deleted < idleDeletedMax) {
      const page = { ...filter, since, limit: idlePageMax, signal };
      const rows = await parts.store.overview.idle(place, page);
      for (const { row } of rows) await erase(parts, row, signal);
      deleted += rows.length;
      if (rows.length < idlePageMax) break;
    }
  }
  if (deleted > 0) parts.log.info('idle conversations were deleted', { conversations: deleted });
}

const dayMs = 86_400_000;

function rulesOf({ days, bundles }: Retention): readonly Rule[] {
  const own = Object.entries(bundles).map(([id, limit]): Rule => {
    return { days: limit, filter: { bundle: id } };
  });
  if (days === undefined) return own;
  return [...own, { days, filter: { except: Object.keys(bundles) } }];
}

/** With the guarantees of an erasure by the user. */
async function erase(
  { store, bus, memory, log }: Parts,
  row: ConversationRow,
  signal: AbortSignal,
): Promise<void> {
  const erased = await store.erase(row, row.id, { signal });
  if (erased.status === 'gone') return;
  bus.publish(erased.key, [{ kind: 'erased' }]);
  // The sweep of erasures forgets its facts as well, in case this fails.
  await memory
    ?.forget(row, { conversation: row.id }, { signal })
    .catch((error: unknown) => log.warn('facts could not be forgotten yet', { error }));
}
