import { useState } from 'react';
import { useAddress } from '../data/address.ts';
import { logPath, postJson } from '../data/server.ts';
import type { Rounds, StoredBlock } from '../data/wire.ts';
import { FormDialog } from './form-dialog.tsx';

type Props = {
  readonly log: Rounds;
  readonly stored: StoredBlock;
  readonly onClose: () => void;
};

/** Writes another result of a call into a fork, where the turn goes on; then shows both runs side by side. */
export function EditResultDialog({ log, stored, onClose }: Props) {
  const { go } = useAddress();
  const { seq, turn, text: original = '' } = stored.block;
  const [text, setText] = useState(original);
  const send = async () => {
    const { conversation_id: id } = log;
    const made = await postJson<{ conversation_id: string }>(logPath(id, 'edit'), {
      body: { block: seq, text },
    });
    onClose();
    go({
      page: 'compare',
      a: `${id}/${turn}`,
      b: `${made.conversation_id}/${turn}`,
      at: undefined,
      block: undefined,
      find: undefined,
    });
  };
  return (
    <FormDialog
      title={`Edit the result in block ${seq}`}
      note={`A fork continues from block ${seq - 1} with this result, and the turn goes on. The tool does not run again; this conversation does not change.`}
      verb="Go on from here"
      send={send}
      onClose={onClose}
    >
      <label>
        Result, as the model reads it
        <textarea
          rows={10}
          value={text}
          onChange={(event) => setText(event.target.value)}
          required
        />
      </label>
    </FormDialog>
  );
}
