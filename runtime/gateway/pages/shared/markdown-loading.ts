import type { MarkdownView } from './markdown/markdown.ts';

type View = typeof MarkdownView;

/** How long a failed load waits before it is tried again. */
const againMs = 3_000;

const listeners = new Set<() => void>();
let view: View | undefined;
let isLoading = false;

export function markdownLoaded(): View | undefined {
  return view;
}

export function onMarkdownLoaded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads the Markdown parser, which a page needs for the first answer and not before. */
export function markdownLoading(): void {
  if (isLoading) return;
  isLoading = true;
  import('./markdown/markdown.ts').then(
    ({ MarkdownView }) => {
      view = MarkdownView;
      for (const listener of [...listeners]) listener();
    },
    () => {
      setTimeout(() => {
        isLoading = false;
        markdownLoading();
      }, againMs);
    },
  );
}
