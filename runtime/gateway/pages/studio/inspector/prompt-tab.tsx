import { useAddress } from '../data/address.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { Prompt } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import { BlockPanel } from './block-panel.tsx';
import { PromptText } from './prompt-text.tsx';
import { SourcePanel } from './source-panel.tsx';
import type { TabProps } from './tab-props.ts';

/** What the model saw, byte for byte, and where each passage comes from. */
export function PromptTab({ log, round }: TabProps) {
  const { address } = useAddress();
  const url = round && logPath(log.conversation_id, `rounds/${round.seq}/prompt`);
  const { data, error, loading } = useJson<Prompt>(url);
  if (!round) return <p className="none">No round was opened at or before this block.</p>;
  if (error) return <Problem error={error} />;
  if (!data) return <p role="status">Loading…</p>;
  const hasPanel = address.block !== undefined || address.find !== undefined;
  return (
    <div className={hasPanel ? 'split' : 'single'} aria-busy={loading}>
      <PromptText prompt={data} log={log} round={round} />
      {hasPanel && (
        <aside className="why" aria-label="Origin">
          {address.find !== undefined && (
            <SourcePanel prompt={data} log={log} find={address.find} />
          )}
          {address.block !== undefined && (
            <BlockPanel prompt={data} log={log} seq={address.block} />
          )}
        </aside>
      )}
    </div>
  );
}
