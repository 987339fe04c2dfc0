/// <reference lib="dom" />
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { colour } from './markdown/colour.ts';
import { setText } from './markdown/patch.ts';

type Props = {
  readonly as: 'div' | 'code' | 'pre';
  readonly className: string;
  readonly text: string;
  readonly label?: string;
  /** Colours the text as a program; only for a text that no longer grows. */
  readonly language?: string;
};

/** A text that is only extended where it grows, so that selections in it stay. */
export function GrowingText({ as: Name, className, text, label, language = '' }: Props): ReactNode {
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    setText(place.current, text);
    if (language !== '') void colour(place.current, language);
  }, [text, language]);
  return (
    <Name
      ref={(element: HTMLElement | null) => {
        place.current = element;
      }}
      className={className}
      dir={Name === 'div' ? 'auto' : undefined}
      aria-label={label}
    />
  );
}
