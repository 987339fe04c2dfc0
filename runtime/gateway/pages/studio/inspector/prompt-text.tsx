import { useEffect, useRef, useState } from 'react';
import { useAddress } from '../data/address.ts';
import { cachedShare, count } from '../data/format.ts';
import type { Part, Prompt, Round, Rounds } from '../data/wire.ts';
import { AbsentList } from './absent-list.tsx';
import { clickedBlock, PromptPart } from './prompt-part.tsx';

type Props = { readonly prompt: Prompt; readonly log: Rounds; readonly round: Round };

/** The last parts of a prompt are shown at once, the others with one more click. */
const shownParts = 40;

/** The parts of a prompt, and what is not in it. */
export function PromptText({ prompt, log, round }: Props) {
  const { address, to, go } = useAddress();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = element;
    const listen = (event: MouseEvent) => {
      const block = clickedBlock(event);
      if (block === undefined) return;
      event.preventDefault();
      go({ block });
    };
    current?.addEventListener('click', listen);
    return () => current?.removeEventListener('click', listen);
  }, [go]);
  const cached = cachedShare(round.usage);
  const [all, setAll] = useState(false);
  const parts = numbered(prompt);
  const from = all ? 0 : parts.length - shownParts;
  const shown = parts.filter(
    ({ part }, index) => index >= from || part.in === 'system' || shows(part, address.block),
  );
  const hidden = parts.length - shown.length;
  return (
    <div className="prompt" ref={element}>
      <p className="facts">
        {count(prompt.tokens)} tokens in {prompt.parts.length} parts
        {cached && ` · ${cached} read from a cache`} · saw blocks 1 to {prompt.as_of}{' '}
        <SameBytes same={prompt.same_as_sent} />
      </p>
      {hidden > 0 && (
        <button type="button" onClick={() => setAll(true)}>
          Show {count(hidden)} earlier parts
        </button>
      )}
      {shown.map(({ part, key, title }) => (
        <PromptPart
          key={key}
          part={part}
          title={title}
          block={shows(part, address.block) ? address.block : undefined}
          hrefOf={(block) => to({ block })}
        />
      ))}
      <AbsentList prompt={prompt} log={log} />
    </div>
  );
}

function shows({ origins }: Part, block: number | undefined): boolean {
  return block !== undefined && origins.some((origin) => origin.block === block);
}

/** Parts have no names but their places. */
function numbered({ seq, parts }: Prompt) {
  return parts.map((part, index) => ({
    part,
    key: `${seq}.${index}`,
    title: `Part ${index + 1}, ${part.in}`,
  }));
}

function SameBytes({ same }: { readonly same: boolean | undefined }) {
  if (same === undefined) return <span>· sent bytes not recorded</span>;
  return same ? (
    <strong className="good">same bytes as sent ✓</strong>
  ) : (
    <strong className="failed">differs from what was sent</strong>
  );
}
