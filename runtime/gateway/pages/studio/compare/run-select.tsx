import { useAddress } from '../data/address.ts';
import { logPath } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { FamilyItem } from '../data/wire.ts';
import type { Run } from './run.ts';

type Props = { readonly run: Run; readonly field: 'a' | 'b' };

/** Another conversation of the same family, or another turn. */
export function RunSelect({ run, field }: Props) {
  const { go } = useAddress();
  const { conversation, log, turn } = run;
  const { data } = useJson<{ items: readonly FamilyItem[] }>(logPath(conversation, 'family'));
  return (
    <div className="filters">
      <label>
        Conversation
        <select
          value={conversation}
          onChange={(event) => go({ [field]: event.target.value }, { replace: true })}
        >
          {(data?.items ?? [{ id: conversation, title: '' }]).map((item) => (
            <option key={item.id} value={item.id}>
              {nameOf(item)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Turn
        <select
          value={turn?.turn ?? ''}
          onChange={(event) =>
            go({ [field]: `${conversation}/${event.target.value}` }, { replace: true })
          }
        >
          {log?.turns.map(({ turn: id, name, prompt }) => (
            <option key={id} value={id}>
              {name.slice(1)}: {prompt.slice(0, 40)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

type Named = Pick<FamilyItem, 'id'> & Partial<FamilyItem>;

function nameOf({ id, parent_id: parent, forked_from: origin }: Named): string {
  if (parent === undefined) return `original (${id.slice(-6)})`;
  return origin ? `fork at block ${origin.seq} (${id.slice(-6)})` : `rerun (${id.slice(-6)})`;
}
