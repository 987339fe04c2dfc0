import { useState } from 'react';
import { useAddress } from '../data/address.ts';
import { exactMoment, placeOf } from '../data/format.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { Prompt, Rounds, StoredBlock } from '../data/wire.ts';
import { Problem } from '../project/problem.tsx';
import { EditResultDialog } from '../rerun/edit-result-dialog.tsx';
import { BlockBody } from './block-body.tsx';
import { standing } from './causes.ts';

type Props = { readonly log: Rounds; readonly seq: number; readonly prompt?: Prompt | undefined };

/** A block, how the prompt shows it, and why. */
export function BlockPanel({ log, seq, prompt }: Props) {
  const { to } = useAddress();
  const { data, error } = useJson<StoredBlock>(logPath(log.conversation_id, `blocks/${seq}`));
  const [isEditing, setEditing] = useState(false);
  const cause = prompt && causeOf(prompt, seq);
  return (
    <section className="block-panel" aria-label={`Block ${seq}`}>
      <h3>
        Block {seq} <code>{data?.block.type}</code>
        <a className="close" href={to({ block: undefined })} aria-label="Close">
          ×
        </a>
      </h3>
      {prompt && <p className="standing">{standing(prompt, seq, log)}</p>}
      {cause !== undefined && (
        <p>
          <a href={to({ block: cause })}>Show block {cause}, which did it</a>
        </p>
      )}
      {error && <Problem error={error} />}
      {data && data.block.seq === seq && (
        <>
          <p className="facts">
            {placeOf(log.turns, seq)} · {data.block.author} · {exactMoment(data.block.at)}
          </p>
          <BlockBody stored={data} />
          {data.block.type === 'react.tool.result' && (
            <button type="button" onClick={() => setEditing(true)}>
              Edit and go on from here
            </button>
          )}
          {isEditing && (
            <EditResultDialog log={log} stored={data} onClose={() => setEditing(false)} />
          )}
        </>
      )}
    </section>
  );
}

/** The block that hid, pruned or compacted this one. */
function causeOf({ absent, parts }: Prompt, seq: number): number | undefined {
  const absence = absent.find(({ block }) => block === seq);
  if (absence?.by !== undefined) return absence.by;
  return parts
    .flatMap(({ origins }) => origins)
    .find(({ block, by }) => block === seq && by !== undefined)?.by;
}
