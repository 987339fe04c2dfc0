import { count, duration } from '../data/format.ts';
import type { ToolUsage } from '../data/project-wire.ts';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { Problem } from './problem.tsx';

/** How the calls of each tool ended; those with the most failures first. */
export function ToolTable() {
  const { data, error } = useJson<{ items: readonly ToolUsage[] }>(inspectUrl('tools'));
  if (error) return <Problem error={error} />;
  if (!data) return <p role="status">Loading…</p>;
  if (data.items.length === 0) return <p className="none">No tool was called in this time.</p>;
  return (
    <table className="usage">
      <thead>
        <tr>
          <th scope="col">tool</th>
          <th scope="col">calls</th>
          <th scope="col">failed</th>
          <th scope="col">failed share</th>
          <th scope="col">mean time</th>
        </tr>
      </thead>
      <tbody>
        {data.items.map(({ tool, calls, failed, ms }) => (
          <tr key={tool}>
            <th scope="row">{tool}</th>
            <td>{count(calls)}</td>
            <td className={failed > 0 ? 'failed' : undefined}>{count(failed)}</td>
            <td>{Math.round((100 * failed) / Math.max(1, calls))} %</td>
            <td>{duration(ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
