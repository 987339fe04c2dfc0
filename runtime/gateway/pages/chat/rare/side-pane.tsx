/// <reference lib="dom" />
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CanvasPart, TurnState } from '../../../../client/index.ts';
import { closeIcon } from '../../shared/action-icons.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { DocumentView } from '../../shared/document-view.tsx';
import { IconButton } from '../../shared/icon-button.tsx';
import { type PaneContent, usePage } from '../state/page-context.ts';
import { CanvasContent } from './canvas-view.tsx';

type Props = {
  readonly content: PaneContent;
  readonly turns: readonly TurnState[];
  close(): void;
};

/** A canvas with its versions, or a file, beside the conversation. */
export function SidePane({ content, turns, close }: Props): ReactNode {
  const pane = useRef<HTMLElement>(null);
  useEffect(() => pane.current?.focus(), []);
  const title = content.kind === 'file' ? content.filename : content.name;
  return (
    <aside
      ref={pane}
      id="pane"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      {content.kind === 'file' ? (
        <FilePane key={content.path} opened={content} turns={turns} close={close} />
      ) : (
        <CanvasPane key={content.name} name={content.name} turns={turns} close={close} />
      )}
    </aside>
  );
}

type Version = { readonly part: CanvasPart & { readonly key: string }; readonly bundle: string };

function versionsOf(turns: readonly TurnState[], name: string): readonly Version[] {
  return turns.flatMap(({ parts, bundle }) =>
    parts.flatMap((part) =>
      part.kind === 'canvas' && part.name === name ? [{ part, bundle }] : [],
    ),
  );
}

type CanvasProps = {
  readonly name: string;
  readonly turns: readonly TurnState[];
  close(): void;
};

function CanvasPane({ name, turns, close }: CanvasProps): ReactNode {
  const versions = versionsOf(turns, name);
  const [chosen, choose] = useState<number>();
  const at = Math.min(chosen ?? versions.length - 1, versions.length - 1);
  const version = versions[at];
  if (!version) return <Head title={name} close={close} />;
  const { part, bundle } = version;
  return (
    <>
      <Head title={part.title || name} close={close}>
        <VersionChoice count={versions.length} at={at} choose={choose} />
        <CopyButton label="Copy content" text={() => part.text} />
      </Head>
      <div className="pane-content">
        <CanvasContent key={part.key} part={part} bundle={bundle} fits={false} />
      </div>
    </>
  );
}

type ChoiceProps = { readonly count: number; readonly at: number; choose(at: number): void };

function VersionChoice({ count, at, choose }: ChoiceProps): ReactNode {
  if (count < 2) return null;
  return (
    <select
      aria-label="Version"
      value={at}
      onChange={(event) => choose(Number(event.target.value))}
    >
      {Array.from({ length: count }, (_, n) => n + 1).map((n) => (
        <option key={n} value={n - 1}>
          Version {n} of {count}
          {n === count ? ' (latest)' : ''}
        </option>
      ))}
    </select>
  );
}

type HeadProps = { readonly title: string; close(): void; readonly children?: ReactNode };

function Head({ title, close, children }: HeadProps): ReactNode {
  return (
    <header className="pane-head">
      <h2 dir="auto">{title}</h2>
      {children}
      <IconButton icon={closeIcon} label="Close" onClick={close} />
    </header>
  );
}

type OpenFile = Omit<PaneContent & { readonly kind: 'file' }, 'kind'>;
type FileProps = {
  readonly opened: OpenFile;
  readonly turns: readonly TurnState[];
  close(): void;
};

/** A file, and the files of the same name that other turns made, which are its versions. */
function FilePane({ opened, turns, close }: FileProps): ReactNode {
  const { files, conversation } = usePage();
  const { filename } = opened;
  const made = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'files' ? part.items : [])),
  );
  const versions = made.filter((each) => each.filename === filename);
  const [chosen, choose] = useState(opened.path);
  const at = versions.findIndex(({ path }) => path === chosen);
  const { path, mime } = versions[at] ?? opened;
  return (
    <>
      <Head title={filename} close={close}>
        <VersionChoice
          count={versions.length}
          at={at}
          choose={(n) => choose(versions[n]?.path ?? opened.path)}
        />
        <a
          className="icon-button"
          href={files.addressOf(path, conversation.id)}
          download={filename}
          title="Download"
        >
          Download
        </a>
      </Head>
      <div className="pane-content">
        <FileContent key={path} file={{ path, filename, mime }} />
      </div>
    </>
  );
}

function FileContent({ file: { path, filename, mime } }: { file: OpenFile }): ReactNode {
  const { files } = usePage();
  const [state, setState] = useState<{ text?: string; image?: string; problem?: string }>({});
  useEffect(() => {
    let isShown = true;
    const show = (found: typeof state) => {
      if (isShown) setState(found);
    };
    const failed = () => show({ problem: 'The file could not be loaded.' });
    if (mime.startsWith('image/')) files.pictureOf(path).then((image) => show({ image }), failed);
    else files.textOf(path).then((text) => show({ text }), failed);
    return () => {
      isShown = false;
    };
  }, [files, path, mime]);
  if (state.problem !== undefined) return <p role="alert">{state.problem}</p>;
  if (state.image !== undefined) {
    return (
      <div className="picture">
        <img src={state.image} alt={filename} />
      </div>
    );
  }
  if (state.text === undefined) return <p className="loading">Loading…</p>;
  return <DocumentView mime={mime} title={filename} text={state.text} done fits={false} />;
}
