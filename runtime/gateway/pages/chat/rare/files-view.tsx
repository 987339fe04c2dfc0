/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import type { FileRef } from '../../../../client/index.ts';
import { downloadIcon } from '../../shared/action-icons.ts';
import { Icon } from '../../shared/icons.tsx';
import { formatBytes } from '../state/format.ts';
import { usePage } from '../state/page-context.ts';

/** Characters of a preview that fit on a card. */
const shownChars = 600;

export function FilesView({ items }: { items: readonly FileRef[] }): ReactNode {
  return (
    <div className="made" data-kind="files">
      {items.map((file) => (
        <FileCard key={file.path} file={file} />
      ))}
    </div>
  );
}

function FileCard({ file }: { file: FileRef }): ReactNode {
  const { conversation, files, openPane } = usePage();
  const { path, filename, mime, size, preview = '' } = file;
  const kind = /\.([a-z0-9]{1,5})$/i.exec(filename)?.[1] ?? 'file';
  const isPicture = mime.startsWith('image/');
  const isViewable = canView(mime);
  const address = files.addressOf(path, conversation.id);
  const card = (
    <>
      {isPicture && <Picture path={path} />}
      {!isPicture && preview !== '' && (
        <span className="preview" aria-hidden="true">
          {preview.slice(0, shownChars)}
        </span>
      )}
      <span className="row">
        <span className="kind" aria-hidden="true">
          {kind}
        </span>
        <span className="label">
          <span className="unseen">{isViewable ? 'View ' : 'Download '}</span>
          {filename}
          <small>{formatBytes(size)}</small>
        </span>
      </span>
    </>
  );
  return (
    <div className="file-card">
      {isViewable ? (
        <button
          type="button"
          className="file"
          onClick={() => openPane({ kind: 'file', path, filename, mime })}
        >
          {card}
        </button>
      ) : (
        <a className="file" href={address} download={filename}>
          {card}
        </a>
      )}
      <a className="icon-button" href={address} download={filename} title="Download">
        <span className="unseen">Download {filename}</span>
        <Icon path={downloadIcon} />
      </a>
    </div>
  );
}

function canView(mime: string): boolean {
  return /^(text\/|image\/|application\/(json|xml))/.test(mime);
}

/** A picture that cannot be loaded is left out: the card still names the file and links to it. */
function Picture({ path }: { path: string }): ReactNode {
  const { files } = usePage();
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    let isShown = true;
    files.pictureOf(path).then(
      (found) => {
        if (isShown) setAddress(found);
      },
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [files, path]);
  return address === undefined ? null : <img src={address} alt="" />;
}
