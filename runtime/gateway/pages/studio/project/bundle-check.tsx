import type { BundleFinding } from '../../../ports/bundle-directory.ts';
import { inspectUrl, postJson } from '../data/server.ts';
import { useRequest } from '../data/use-request.ts';

/** Runs `timeloom bundle check` on the folder of a bundle, and lists what it finds. */
export function BundleCheck({ bundle }: { readonly bundle: string }) {
  const url = inspectUrl(`bundles/${encodeURIComponent(bundle)}/check`);
  const { data, problem, isBusy, send } = useRequest(() =>
    postJson<{ items: readonly BundleFinding[] }>(url, { body: {} }),
  );
  return (
    <div className="bundle-check">
      <button type="button" disabled={isBusy} onClick={send}>
        Check <span className="unseen">{bundle}</span>
      </button>{' '}
      <output aria-live="polite">
        {isBusy && 'Checking the folder and its types…'}
        {data?.items.length === 0 && <span className="good">✓ no problems found</span>}
        {problem !== '' && <span className="problem">{problem}</span>}
      </output>
      {data && data.items.length > 0 && (
        <ul className="findings" aria-label={`Findings in ${bundle}`}>
          {data.items.map(({ level, what, places, says, fix }) => (
            <li key={`${what} ${says}`}>
              <strong className={level === 'error' ? 'failed' : 'warning'}>
                {level} · {what}
              </strong>{' '}
              {places.length > 0 && <code>{places.join(', ')}</code>} {says}
              {fix !== undefined && <span className="facts fix">{fix}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
