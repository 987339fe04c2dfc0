import { moment } from '../data/format.ts';
import type { FailureItem } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { Problem } from './problem.tsx';

type Answer = { readonly items: readonly FailureItem[]; readonly has_more: boolean };

/** Turns and calls that failed in the last hour; each leads to its block. */
export function Failures({ version }: { readonly version: unknown }) {
  const { data, error } = useJson<Answer>(inspectUrl('failures'), version);
  return (
    <section aria-label="Failed in the last hour">
      <h2>Failed in the last hour</h2>
      {error && <Problem error={error} />}
      {data?.items.length === 0 && <p>Nothing failed.</p>}
      <ul className="failures">
        {data?.items.map((item) => (
          <li key={`${item.conversation_id} ${item.seq}`}>
            <a
              href={`#${encodeURIComponent(item.conversation_id)}?at=${item.seq}&block=${item.seq}&tab=blocks`}
            >
              {item.tool ?? 'turn'}: {item.code}
            </a>
            <span className="facts">
              {item.message} · {item.user} · {moment(item.at)}
            </span>
          </li>
        ))}
      </ul>
      {data?.has_more && <p className="facts">There are more.</p>}
    </section>
  );
}
