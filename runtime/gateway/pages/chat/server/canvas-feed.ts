import type { Delta } from '../../../../client/index.ts';

type CanvasContent = {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  readonly mime: string;
  readonly text: string;
  readonly done: boolean;
};

/** One canvas for the widget in its frame: the current content, then additions. */
export class CanvasFeed {
  #shown: CanvasContent | undefined;
  readonly #waiting = new Set<() => void>();

  show(canvas: CanvasContent): void {
    this.#shown = canvas;
    for (const wake of [...this.#waiting]) wake();
    this.#waiting.clear();
  }

  async *deltas(): AsyncGenerator<Delta> {
    let before: CanvasContent | undefined;
    for (;;) {
      const now = this.#shown;
      if (now && (now.text !== before?.text || now.done !== before.done)) {
        yield toDelta(now, before?.text ?? '');
        before = now;
      } else await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }
}

function toDelta({ key, name, title, mime, text, done }: CanvasContent, before: string): Delta {
  const offset = text.startsWith(before) ? before.length : 0;
  return {
    ...{ channel: 'canvas', marker: 'canvas', instance: 0, stream: key },
    ...{ text: text.slice(offset), offset, completed: done, artifact: name },
    ...(mime !== '' && { mime }),
    ...(title !== '' && { title }),
  };
}
