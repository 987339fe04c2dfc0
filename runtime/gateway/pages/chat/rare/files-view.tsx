/// <reference lib="dom" />
import { type ReactNode, useEffect, useState } from 'react';
import type { FileRef } from '../../../../client/index.ts';
import { openIcon } from '../../shared/action-icons.ts';
import { IconButton } from '../../shared/icon-button.tsx';
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
  return (
    <div className="file-card">
      <a className="file" href={files.addressOf(path, conversation.id)} download={filename}>
        {isPicture && <Picture path={path} />}
        {!isPicture && preview !== '' && <pre>{preview.slice(0, shownChars)}</pre>}
        <span className="row">
          <span className="kind">{kind}</span>
          <span className="label">
            {filename}
            <small>{formatBytes(size)} · download</small>
          </span>
        </span>
      </a>
      {canView(mime) && (
        <IconButton
          icon={openIcon}
          label={`View ${filename}`}
          onClick={() => openPane({ kind: 'file', path, filename, mime })}
        />
      )}
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
