import { useAddress } from '../data/address.ts';
import { cachedShare, count, inputTokens, money } from '../data/format.ts';
import type { UsageGroup } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { ConversationItem } from '../data/wire.ts';
import { Problem } from './problem.tsx';
import { ToolTable } from './tool-table.tsx';

const groups = ['day', 'agent', 'model', 'role', 'user', 'conversation', 'tool'] as const;

/** Tokens and cost of the last 30 days. */
export function UsageView() {
  const { address, to } = useAddress();
  const by = groups.find((group) => group === address.by) ?? 'day';
  return (
    <main className="project">
      <h2>Usage of the last 30 days</h2>
      <nav className="grouping" aria-label="Group by">
        {groups.map((group) => (
          <a key={group} href={to({ by: group })} aria-current={group === by ? 'page' : undefined}>
            {group}
          </a>
        ))}
      </nav>
      {by === 'tool' ? <ToolTable /> : <ModelUsage by={by} />}
    </main>
  );
}

function ModelUsage({ by }: { readonly by: string }) {
  const { data, error } = useJson<{ items: readonly UsageGroup[] }>(inspectUrl(`usage?by=${by}`));
  const items = data?.items ?? [];
  const cost = items.reduce((sum, item) => sum + (item.cost_usd ?? 0), 0);
  return (
    <>
      {error && <Problem error={error} />}
      <p className="sum" hidden={items.length === 0}>
        {count(items.reduce((sum, { calls }) => sum + calls, 0))} model calls{' '}
        {money(cost) && `· ${money(cost)}`}
      </p>
      {items.length > 0 ? (
        <UsageTable items={items} by={by} />
      ) : (
        data && <p className="none">No model was called in this time.</p>
      )}
    </>
  );
}

/** By its title, if it is one of the newest. */
function ConversationLink({ id }: { readonly id: string }) {
  const { data } = useJson<{ items: readonly ConversationItem[] }>(inspectUrl('conversations'));
  const title = data?.items.find((each) => each.id === id)?.title;
  return <a href={`#${encodeURIComponent(id)}`}>{title || id}</a>;
}

function UsageTable({ items, by }: { readonly items: readonly UsageGroup[]; readonly by: string }) {
  const most = Math.max(1, ...items.map(inputTokens));
  return (
    <table className="usage">
      <thead>
        <tr>
          <th scope="col">{by}</th>
          <th scope="col">calls</th>
          <th scope="col">input</th>
          <th scope="col">cached</th>
          <th scope="col">output</th>
          <th scope="col">cost</th>
          <th scope="col" className="bar-head">
            share of the input
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.key}>
            <th scope="row" className={by === 'day' ? 'day' : undefined}>
              {by === 'conversation' ? <ConversationLink id={item.key} /> : item.key || 'none'}
            </th>
            <td>{count(item.calls)}</td>
            <td>{count(inputTokens(item))}</td>
            <td>{cachedShare(item)}</td>
            <td>{count(item.output_tokens ?? 0)}</td>
            <td>{money(item.cost_usd)}</td>
            <td className="bar-cell">
              <span style={{ width: `${(100 * inputTokens(item)) / most}%` }} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
