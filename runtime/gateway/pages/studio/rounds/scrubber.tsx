import { useEffect, useMemo, useRef } from 'react';
import { useAddress } from '../data/address.ts';
import { count, placeOf } from '../data/format.ts';
import type { Rounds } from '../data/wire.ts';

const heightPx = 22;

/** One tick for each block, coloured by kind. Moving it is time travel. */
export function Scrubber({ log, at }: { readonly log: Rounds; readonly at: number }) {
  const { go } = useAddress();
  const canvas = useRef<HTMLCanvasElement>(null);
  const kinds = useMemo(() => log.types.map(kindOf), [log.types]);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const paint = () => draw(element, { log, kinds });
    const watcher = new ResizeObserver(paint);
    watcher.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', paint);
    return () => {
      watcher.disconnect();
      dark.removeEventListener('change', paint);
    };
  }, [log, kinds]);
  return (
    <div className="scrubber">
      <div className="track">
        <canvas ref={canvas} height={heightPx} role="img" aria-label="Blocks, coloured by kind" />
        <input
          type="range"
          min={1}
          max={Math.max(1, log.head)}
          value={at}
          aria-label="Block"
          aria-valuetext={`Block ${at} of ${log.head}, ${placeOf(log.turns, at)}`}
          onChange={(event) =>
            go({ at: Number(event.target.value), block: undefined }, { replace: true })
          }
        />
      </div>
      <output>
        block {count(at)} of {count(log.head)}
      </output>
      <details className="legend">
        <summary>Colours</summary>
        <ul>
          {Object.entries(legend).map(([name, text]) => (
            <li key={name}>
              <span style={{ background: `var(${name})` }} /> {text}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

const legend = {
  '--warm': 'messages of the user',
  '--model': 'calls of models',
  '--tool': 'tools, files, sources',
  '--faint': 'thinking and notes',
  '--accent': 'answers',
  '--bad': 'changes of the prompt: hide, prune, compact',
  '--line': 'other',
};

function kindOf(type: string): string {
  if (/^(user|external)\./.test(type)) return '--warm';
  if (/^(react\.tool|artifact|canvas|source)/.test(type)) return '--tool';
  if (/^(react\.thinking|react\.not|timeline_text|react\.code)/.test(type)) return '--faint';
  if (/^(view\.|cache\.|compact\.)/.test(type)) return '--bad';
  if (type === 'model.call') return '--model';
  if (type === 'assistant.completion') return '--accent';
  return '--line';
}

type Picture = { readonly log: Rounds; readonly kinds: readonly string[] };

function draw(canvas: HTMLCanvasElement, { log, kinds }: Picture): void {
  const ratio = devicePixelRatio;
  const width = canvas.clientWidth;
  canvas.width = width * ratio;
  canvas.height = heightPx * ratio;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colours = kinds.map((name) => {
    canvas.style.color = `var(${name})`;
    return style.color;
  });
  const step = width / Math.max(1, log.ticks.length);
  for (const [index, kind] of log.ticks.entries()) {
    context.fillStyle = colours[kind] ?? 'gray';
    const isLow = kinds[kind] === '--line' || kinds[kind] === '--faint';
    const height = isLow ? heightPx / 3 : heightPx * 0.8;
    context.fillRect(index * step, heightPx - height, Math.max(0.6, step - 0.6), height);
  }
}
