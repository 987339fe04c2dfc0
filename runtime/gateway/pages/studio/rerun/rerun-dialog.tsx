import { useState } from 'react';
import { useAddress } from '../data/address.ts';
import type { BundleItem } from '../data/project-wire.ts';
import { inspectUrl, logPath, postJson } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import type { Rounds, StoredBlock, Turn } from '../data/wire.ts';
import { FormDialog } from './form-dialog.tsx';
import { ModelField } from './model-field.tsx';

type Props = { readonly log: Rounds; readonly turn: Turn; readonly onClose: () => void };

/** Runs a turn again: with another prompt, another agent or another model; then shows both runs side by side. */
export function RerunDialog({ log, turn, onClose }: Props) {
  const { go } = useAddress();
  const [edited, setEdited] = useState<string>();
  const [agent, setAgent] = useState(turn.agent ?? '');
  const [model, setModel] = useState('');
  const { conversation_id: id } = log;
  const { data } = useJson<StoredBlock>(
    turn.prompt_block === undefined ? undefined : logPath(id, `blocks/${turn.prompt_block}`),
  );
  const original = data?.block.text ?? turn.prompt;
  const send = async () => {
    const [bundle, name] = agent.split('/');
    const body = {
      turn: turn.turn,
      ...(edited !== undefined && { text: edited }),
      ...(agent !== '' && { bundle, ...(name !== undefined && { agent: name }) }),
      ...(model.trim() !== '' && { model: model.trim() }),
    };
    const made = await postJson<{ conversation_id: string; turn_id: string }>(
      logPath(id, 'rerun'),
      { body },
    );
    onClose();
    go({
      page: 'compare',
      a: `${id}/${turn.turn}`,
      b: `${made.conversation_id}/${made.turn_id}`,
      at: undefined,
      block: undefined,
      find: undefined,
    });
  };
  return (
    <FormDialog
      title={`Run turn ${turn.name.slice(1)} again`}
      note={`${
        turn.seq > 1
          ? `A fork continues from block ${turn.seq - 1}.`
          : 'A new conversation begins with this prompt.'
      } This conversation does not change. Then you see both runs side by side.`}
      verb="Run"
      send={send}
      onClose={onClose}
    >
      <label>
        Prompt
        <textarea
          rows={6}
          value={edited ?? original}
          onChange={(event) => setEdited(event.target.value)}
          required
        />
      </label>
      <ModelField value={model} onChange={setModel} fallback="that of the agent" />
      <AgentField value={agent} onChange={setAgent} />
    </FormDialog>
  );
}

type FieldProps = { readonly value: string; readonly onChange: (value: string) => void };

function AgentField({ value, onChange }: FieldProps) {
  const { data } = useJson<{ items: readonly BundleItem[] }>(inspectUrl('agents'));
  const known = (data?.items ?? []).flatMap(({ id, agents }) =>
    agents.map((agent) => `${id}/${agent.id}`),
  );
  const choices = value === '' || known.includes(value) ? known : [value, ...known];
  return (
    <label>
      Agent
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {value === '' && <option value="">default</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    </label>
  );
}
