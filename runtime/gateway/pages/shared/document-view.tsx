import type { ReactNode } from 'react';
import { GrowingText } from './growing-text.tsx';
import { HtmlView } from './html-view.tsx';
import { Prose } from './prose.tsx';
import { SvgView } from './svg-view.tsx';

type Props = {
  readonly mime: string;
  readonly title: string;
  readonly text: string;
  readonly done: boolean;
  readonly fits: boolean;
};

/** Generated text of any type, shown while it grows. None of its scripts run. */
export function DocumentView({ mime, title, text, done, fits }: Props): ReactNode {
  if (mime === 'text/html') return <HtmlView text={text} done={done} title={title} fits={fits} />;
  if (mime === 'image/svg+xml') return <SvgView text={text} />;
  if (mime === 'text/markdown' || mime === '') {
    return <Prose className="prose" text={text} done={done} />;
  }
  const isJson = /json$/.test(mime);
  return (
    <GrowingText
      as="pre"
      className=""
      text={done && isJson ? pretty(text) : text}
      language={done ? languageOf(mime) : ''}
    />
  );
}

function languageOf(mime: string): string {
  if (/json$/.test(mime)) return 'json';
  return /python|javascript|typescript|css/.exec(mime)?.[0] ?? '';
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // JSON lines, or not JSON: shown as written.
    return text;
  }
}
