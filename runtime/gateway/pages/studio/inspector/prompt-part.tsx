import { memo, useEffect, useRef } from 'react';
import { count } from '../data/format.ts';
import type { Origin, Part } from '../data/wire.ts';

const places = { system: 'System', timeline: 'Timeline', tail: 'Tail' };

type PartProps = {
  readonly part: Part;
  readonly title: string;
  /** The chosen block, if this part shows it. */
  readonly block: number | undefined;
  /** The address of a block; what else the address has may be of an earlier moment. */
  readonly hrefOf: (block: number) => string;
};

/** One part of a prompt. Each passage links to its block. */
export const PromptPart = memo(
  function PromptPart({ part, title, block, hrefOf }: PartProps) {
    const name = part.role === 'assistant' ? 'Assistant' : places[part.in];
    return (
      <details className={`part in-${part.in}`} open={part.in !== 'system'} aria-label={title}>
        <summary>
          <span className="name">{name}</span>
          <span className="facts">
            {count(part.tokens)} tokens
            {part.in === 'tail' && ' · never cached'}
            {part.kind !== 'text' && ` · ${part.kind}`}
          </span>
        </summary>
        <pre>
          {part.origins.map((origin) => (
            <Passage
              key={origin.from}
              origin={origin}
              text={part.text.slice(origin.from, origin.to)}
              isCurrent={origin.block === block}
              href={hrefOf(origin.block)}
            />
          ))}
        </pre>
        {part.checkpoint && <p className="checkpoint">checkpoint</p>}
      </details>
    );
  },
  (before, after) => before.part === after.part && before.block === after.block,
);

type PassageProps = {
  readonly origin: Origin;
  readonly text: string;
  readonly isCurrent: boolean;
  readonly href: string;
};

function Passage({ origin, text, isCurrent, href }: PassageProps) {
  const element = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  if (origin.as === 'runtime') return <span className="as-runtime">{text}</span>;
  return (
    <a
      ref={element}
      href={href}
      className={`as-${origin.as}`}
      data-block={origin.block}
      aria-current={isCurrent ? 'true' : undefined}
      title={`block ${origin.block}, ${origin.as}${origin.by === undefined ? '' : ` since block ${origin.by}`}`}
      draggable={false}
    >
      {text}
    </a>
  );
}

/** The block of the passage that was clicked; undefined: a click elsewhere, or one that opens a new tab. */
export function clickedBlock(event: MouseEvent): number | undefined {
  const { target, button, ctrlKey, metaKey, shiftKey } = event;
  if (button !== 0 || ctrlKey || metaKey || shiftKey || !(target instanceof Element))
    return undefined;
  const block = target.closest<HTMLElement>('a[data-block]')?.dataset['block'];
  return block === undefined ? undefined : Number(block);
}
