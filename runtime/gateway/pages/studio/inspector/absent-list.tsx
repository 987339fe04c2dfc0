import { useAddress } from '../data/address.ts';
import { count } from '../data/format.ts';
import type { Absence, Prompt, Rounds } from '../data/wire.ts';
import { causeText } from './causes.ts';

/** Rows that are listed without a further click. */
const rowsMax = 200;

/** The blocks that are not in the prompt, grouped by why. */
export function AbsentList({ prompt, log }: { readonly prompt: Prompt; readonly log: Rounds }) {
  const { to } = useAddress();
  const { absent, absent_omitted: omitted } = prompt;
  const groups = new Map<string, Absence[]>();
  for (const each of absent) {
    const key = causeText(each, log);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  if (absent.length === 0) return null;
  return (
    <details className="absent">
      <summary>
        {absent.length + omitted === 1
          ? '1 block is not in this prompt as it is'
          : `${count(absent.length + omitted)} blocks are not in this prompt as they are`}
      </summary>
      <ul>
        {[...groups].map(([why, blocks]) => (
          <li key={why}>
            {why}:{' '}
            {blocks.slice(0, rowsMax).map(({ block }) => (
              <a key={block} href={to({ block })} aria-label={`Block ${block}`}>
                {block}
              </a>
            ))}
            {blocks.length > rowsMax && ` and ${count(blocks.length - rowsMax)} more`}
          </li>
        ))}
      </ul>
    </details>
  );
}
