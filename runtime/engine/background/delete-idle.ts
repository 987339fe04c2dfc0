import type { Clock } from '../../base/clock.ts';
import type { IdleFilter } from '../../timeline/ports/overview.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { idleDeletedMax, idlePageMax } from '../limits.ts';
import { type ErasingParts, eraseConversation } from '../maintenance/erase-conversation.ts';

/** After how many days without activity conversations are deleted. */
export type Retention = {
  /** Undefined: conversations are kept, unless their bundle has a rule. */
  readonly days?: number | undefined;
  /** By bundle, in place of `days`. */
  readonly bundles: Readonly<Record<string, number>>;
};

type Parts = ErasingParts & { readonly clock: Clock };
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
      for (const { row } of rows) {
        await eraseConversation(parts, { owner: row, conversation: row.id }, { signal });
      }
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
