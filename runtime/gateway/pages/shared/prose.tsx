/// <reference lib="dom" />
import { type ReactNode, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import type { Source } from '../../../client/index.ts';
import type { MarkdownView } from './markdown/markdown.ts';
import { markdownLoaded, markdownLoading, onMarkdownLoaded } from './markdown-loading.ts';

type Props = {
  readonly text: string;
  /** The text is complete. While it grows, only the end of the element changes. */
  readonly done: boolean;
  readonly className: string;
  /** Links to these are shown as numbers with cards. */
  readonly sources?: readonly Source[];
};

const none: readonly Source[] = [];

/** Markdown, which may still be growing. Until the parser is loaded, the text is shown as it was written. */
export function Prose({ text, done, className, sources = none }: Props): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView>(undefined);
  const View = useSyncExternalStore(onMarkdownLoaded, markdownLoaded);
  useLayoutEffect(() => {
    if (!place.current) return;
    if (!View) {
      place.current.textContent = text;
      markdownLoading();
      return;
    }
    if (!view.current) {
      place.current.replaceChildren();
      view.current = new View(place.current);
    }
    view.current.update(text, { isComplete: done, sources });
  }, [View, text, done, sources]);
  return <div ref={place} className={View ? className : `${className} plain`} />;
}
