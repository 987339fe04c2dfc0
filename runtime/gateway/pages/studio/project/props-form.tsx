import { type FormEvent, useState } from 'react';
import type { FieldSchema } from '../data/project-wire.ts';
import { propsUrl, putJson } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { SchemaFields } from './schema-fields.tsx';
import { toInput } from './tool-input.ts';

type Answer = {
  readonly props: Readonly<Record<string, unknown>>;
  readonly schema: { readonly properties?: Readonly<Record<string, FieldSchema>> };
};

/** The settings of a bundle that an operator may change while it runs. */
export function PropsForm({ bundle }: { readonly bundle: string }) {
  const [version, setVersion] = useState(0);
  const { data, error } = useJson<Answer>(propsUrl(bundle), version);
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({});
  const [status, setStatus] = useState('');
  if (error)
    return <p className="facts">{error.code === 'not_found' ? 'No props.' : error.message}</p>;
  if (!data) return <p role="status">Loading…</p>;
  const current = Object.entries(data.props).map(([name, value]) => [name, toText(value)] as const);
  const values = { ...Object.fromEntries(current), ...edited };
  const save = async () => {
    await putJson(propsUrl(bundle), toInput(data.schema, values));
    setEdited({});
    setVersion((before) => before + 1);
    setStatus('Saved; in force from now on.');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setStatus('');
    save().catch((problem: unknown) =>
      setStatus(problem instanceof Error ? problem.message : String(problem)),
    );
  };
  return (
    <form className="tool-form" onSubmit={submit}>
      <SchemaFields
        prefix={`props.${bundle}`}
        schema={data.schema}
        values={values}
        onChange={(name, value) => setEdited((before) => ({ ...before, [name]: value }))}
      />
      <button type="submit">Save props</button>
      <output aria-live="polite">{status}</output>
    </form>
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
