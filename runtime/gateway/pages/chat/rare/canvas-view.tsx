/// <reference lib="dom" />
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import type { CanvasPart } from '../../../../client/index.ts';
import { openIcon } from '../../shared/action-icons.ts';
import { DocumentView } from '../../shared/document-view.tsx';
import { resize } from '../../shared/html-frame.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import type { CanvasFeed } from '../server/canvas-feed.ts';
import { widgetsOf } from '../server/widgets.ts';
import { usePage } from '../state/page-context.ts';

type Props = { readonly part: CanvasPart & { readonly key: string }; readonly bundle: string };

/** A live canvas. It is shown while it grows, whatever its MIME type, and none of its scripts run. */
export function CanvasView({ part, bundle }: Props): ReactNode {
  const { openPane } = usePage();
  const { name, title, done } = part;
  const label = title || name || 'Canvas';
  return (
    <section className={`panel canvas ${done ? '' : 'live'}`} data-kind="canvas" aria-label={label}>
      <div className="head">
        <span className="label">{label}</span>
        <span className="spacer" />
        {name !== '' && (
          <IconButton
            icon={openIcon}
            label={`Open ${label} beside the conversation`}
            onClick={() => openPane({ kind: 'canvas', name })}
          />
        )}
      </div>
      <CanvasContent part={part} bundle={bundle} fits />
    </section>
  );
}

/** The bundle's widget for this type, or the text as a document. */
export function CanvasContent({ part, bundle, fits }: Props & { fits: boolean }): ReactNode {
  const { client, conversation } = usePage();
  const widgets = widgetsOf(client);
  const loaded = useSyncExternalStore(
    (listener) => widgets.onChange(listener),
    () => widgets.loaded,
  );
  useEffect(() => widgets.load(bundle), [widgets, bundle]);
  const { name, title, mime, text, done } = part;
  if (bundle !== '' && !loaded.has(bundle)) return null;
  const address = widgets.addressOf(mime, { conversation: conversation.id, canvas: name });
  if (address !== undefined) return <WidgetView part={part} address={address} />;
  const label = title || name || 'Canvas';
  return <DocumentView mime={mime} title={label} text={text} done={done} fits={fits} />;
}

/** A widget reads its canvas from this page with the client library. */
function WidgetView({ part, address }: { part: Props['part']; address: string }): ReactNode {
  const widgets = widgetsOf(usePage().client);
  const frame = useRef<HTMLIFrameElement>(null);
  const feed = useRef<CanvasFeed>(undefined);
  useEffect(() => {
    if (!frame.current) return;
    feed.current ??= widgets.feed(frame.current);
    feed.current.show(part);
  }, [widgets, part]);
  const follow = () => {
    const element = frame.current;
    const inside = element?.contentDocument?.documentElement;
    if (element && inside) new ResizeObserver(() => resize(element, inside)).observe(inside);
  };
  return (
    <iframe
      ref={frame}
      className="widget"
      src={address}
      title={part.title || 'Widget'}
      onLoad={follow}
    />
  );
}
