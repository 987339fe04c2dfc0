import { useState } from 'react';
import type { StoredBlock } from '../data/wire.ts';

/** The path, the text and the data of a block. */
export function BlockBody({ stored }: { readonly stored: StoredBlock }) {
  const { block, short_path: path } = stored;
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(path ?? '');
    setCopied(true);
  };
  return (
    <div className="block-body">
      {path !== undefined && (
        <p className="path">
          <code>{path}</code>
          <button type="button" onClick={() => void copy()}>
            {copied ? 'Copied' : 'Copy path'}
          </button>
        </p>
      )}
      {block.text !== undefined && block.text !== '' && <pre>{block.text}</pre>}
      {block.data !== undefined && (
        <pre className="json">{JSON.stringify(block.data, null, 2)}</pre>
      )}
    </div>
  );
}
