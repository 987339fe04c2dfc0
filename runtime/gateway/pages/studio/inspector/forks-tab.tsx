import { useMemo } from 'react';
import { useAddress } from '../data/address.ts';
import { count, moment, money } from '../data/format.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { FamilyItem } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import type { TabProps } from './tab-props.ts';

type Answer = { readonly items: readonly FamilyItem[]; readonly has_more: boolean };

/** The tree of forks and reruns that the conversation is in. */
export function ForksTab({ log, at }: TabProps) {
  const { data, error } = useJson<Answer>(logPath(log.conversation_id, 'family'), log.head);
  const roots = useMemo(() => toTree(data?.items ?? []), [data]);
  const turn = log.turns.findLast(({ seq }) => seq <= at);
  if (error) return <Problem error={error} />;
  if (!data) return <p role="status">Loading…</p>;
  const own = `${log.conversation_id}/${turn?.turn ?? ''}`;
  return (
    <div className="forks">
      {data.items.length === 1 && (
        <p className="none">
          No forks. “Fork from here”, “Edit and rerun” and “Edit and go on from here” make one.
        </p>
      )}
      <Branches nodes={roots} current={log.conversation_id} own={own} />
      {data.has_more && (
        <p className="facts">There are more; these are the first {count(data.items.length)}.</p>
      )}
    </div>
  );
}

type Node = { readonly item: FamilyItem; readonly forks: readonly Node[] };

/** Parents precede their forks. */
function toTree(items: readonly FamilyItem[]): readonly Node[] {
  const below = new Map<string, FamilyItem[]>();
  for (const item of items) {
    const parent = item.parent_id ?? '';
    below.set(parent, [...(below.get(parent) ?? []), item]);
  }
  const nodesOf = (parent: string): readonly Node[] =>
    (below.get(parent) ?? []).map((item) => ({ item, forks: nodesOf(item.id) }));
  return nodesOf('');
}

type BranchProps = {
  readonly nodes: readonly Node[];
  readonly current: string;
  readonly own: string;
};

function Branches({ nodes, current, own }: BranchProps) {
  if (nodes.length === 0) return null;
  return (
    <ul>
      {nodes.map(({ item, forks }) => (
        <li key={item.id}>
          <Branch item={item} isCurrent={item.id === current} own={own} />
          <Branches nodes={forks} current={current} own={own} />
        </li>
      ))}
    </ul>
  );
}

type ItemProps = {
  readonly item: FamilyItem;
  readonly isCurrent: boolean;
  /** The turn that is looked at, to compare with. */
  readonly own: string;
};

function Branch({ item, isCurrent, own }: ItemProps) {
  const { to } = useAddress();
  const { id, head, state, forked_from: origin, parent_id: parent, cost_usd: cost } = item;
  const begins = origin
    ? `fork at block ${origin.seq}`
    : parent === undefined
      ? 'original'
      : 'rerun of the first turn';
  const clear = { at: undefined, block: undefined, find: undefined, tab: 'prompt' } as const;
  const facts = [`${count(head)} blocks`, state, money(cost), moment(item.last_activity_at)];
  return (
    <>
      <a href={`#${encodeURIComponent(id)}`} aria-current={isCurrent ? 'true' : undefined}>
        {begins} <code>{id.slice(-6)}</code>
      </a>{' '}
      <span className="facts">{facts.filter(Boolean).join(' · ')}</span>{' '}
      {!isCurrent && (
        <a href={to({ page: 'compare', a: own, b: id, ...clear })}>
          compare <span className="unseen">with {id.slice(-6)}</span>
        </a>
      )}
    </>
  );
}
