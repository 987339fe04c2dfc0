import { type FormEvent, useState } from 'react';
import { useAddress } from '../data/address.ts';
import { inspectUrl, postJson } from '../data/server.ts';
import type { FieldSchema, ToolItem } from '../data/wire.ts';
import { toInput } from './tool-input.ts';

type Props = { readonly tool: ToolItem; readonly agent: string; readonly bundle: string };

/** Calls a tool in a conversation of its own, and goes there. */
export function ToolForm({ tool, agent, bundle }: Props) {
  const { go } = useAddress();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState('');
  const fields = Object.entries(tool.parameters.properties ?? {});
  const call = async () => {
    const body = { bundle, agent, input: toInput(tool.parameters, values) };
    const url = inspectUrl(`tools/${encodeURIComponent(tool.id)}/try`);
    const { conversation_id: id } = await postJson<{ conversation_id: string }>(url, { body });
    go({ page: id, at: undefined, tab: 'blocks', type: undefined, q: undefined, block: undefined });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    call().catch((error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <form className="tool-form" onSubmit={submit}>
      {fields.map(([name, schema]) => (
        <div key={name} className="field">
          <label htmlFor={idOf(tool, name)}>
            {name}
            {tool.parameters.required?.includes(name) ? '' : ' (optional)'}
          </label>
          <Field
            id={idOf(tool, name)}
            schema={schema}
            value={values[name] ?? ''}
            onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
          />
          {schema.description !== undefined && <span className="facts">{schema.description}</span>}
        </div>
      ))}
      <button type="submit">Call it</button>
      {problem !== '' && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

function idOf({ id }: ToolItem, name: string): string {
  return `${id}.${name}`;
}

type FieldProps = {
  readonly id: string;
  readonly schema: FieldSchema;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

function Field({ id, schema, value, onChange }: FieldProps) {
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
  if (choices) {
    return (
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="" />
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  const isJson = schema.type === 'object' || schema.type === 'array';
  if (isJson)
    return (
      <textarea
        id={id}
        rows={3}
        value={value}
        placeholder="JSON"
        onChange={(event) => onChange(event.target.value)}
      />
    );
  return <input id={id} value={value} onChange={(event) => onChange(event.target.value)} />;
}
