import { useState } from 'react';
import { SchemaFields } from '../../shared/schema-form/schema-fields.tsx';
import { toInput } from '../../shared/schema-form/to-input.ts';
import { useAddress } from '../data/address.ts';
import type { ToolItem } from '../data/project-wire.ts';
import { inspectUrl, postJson } from '../data/server.ts';
import { useAction } from '../rerun/use-action.ts';

type Props = { readonly tool: ToolItem; readonly agent: string; readonly bundle: string };

/** Calls a tool in a conversation of its own, and goes there. */
export function ToolForm({ tool, agent, bundle }: Props) {
  const { go } = useAddress();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { problem, isBusy, submit } = useAction(async () => {
    const body = { bundle, agent, input: toInput(tool.parameters, values) };
    const url = inspectUrl(`tools/${encodeURIComponent(tool.id)}/try`);
    const { conversation_id: id } = await postJson<{ conversation_id: string }>(url, { body });
    go({ page: id, at: undefined, tab: 'blocks', type: undefined, q: undefined, block: undefined });
  });
  return (
    <form className="tool-form" onSubmit={submit}>
      <SchemaFields
        prefix={`${agent}.${tool.id}`}
        schema={tool.parameters}
        values={values}
        onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
      />
      <button type="submit" disabled={isBusy}>
        Call it
      </button>
      {problem !== '' && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
