/// <reference lib="dom" />
import { type ReactNode, useMemo } from 'react';

/** A drawing, which may be unfinished: the HTML parser completes it without running scripts, and it is shown as an image. */
export function SvgView({ text }: { text: string }): ReactNode {
  const address = useMemo(() => toImage(text), [text]);
  return (
    <div className="picture">{address !== undefined && <img src={address} alt="Drawing" />}</div>
  );
}

function toImage(text: string): string | undefined {
  const drawing = new DOMParser().parseFromString(text, 'text/html').querySelector('svg');
  if (!drawing) return undefined;
  drawing.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const source = new XMLSerializer().serializeToString(drawing);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
}
