/// <reference lib="dom" />
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { HtmlFrame } from './html-frame.ts';

type Props = {
  readonly text: string;
  readonly done: boolean;
  readonly title: string;
  /** Whether the height follows the content. */
  readonly fits: boolean;
};

/** Generated HTML in a frame without scripts or requests. */
export function HtmlView({ text, done, title, fits }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<HtmlFrame>(undefined);
  useLayoutEffect(() => {
    if (!frame.current) {
      frame.current = new HtmlFrame({ title, fits });
      place.current?.append(frame.current.element);
    }
    frame.current.paint(text, done);
  }, [text, done, title, fits]);
  return <div ref={place} className="html" />;
}
