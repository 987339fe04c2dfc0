import { useState } from 'react';
import type { FieldSchema } from '../../shared/schema-form/object-schema.ts';
import { SchemaFields } from '../../shared/schema-form/schema-fields.tsx';
import { toInput, toText } from '../../shared/schema-form/to-input.ts';
import { propsUrl, putJson } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';
import { useAction } from '../rerun/use-action.ts';

type Answer = {
  readonly props: Readonly<Record<string, unknown>>;
  readonly schema: { readonly properties?: Readonly<Record<string, FieldSchema>> };
};

/** The settings of a bundle that an operator may change while it runs. */
export function PropsForm({ bundle }: { readonly bundle: string }) {
  const [version, setVersion] = useState(0);
  const { data, error } = useJson<Answer>(propsUrl(bundle), version);
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({});
  const { props = {}, schema = {} } = data ?? {};
  const current = Object.entries(props).map(([name, value]) => [name, toText(value)] as const);
  const values = { ...Object.fromEntries(current), ...edited };
  const [isSaved, setSaved] = useState(false);
  const { problem, isBusy, submit } = useAction(async () => {
    setSaved(false);
    await putJson(propsUrl(bundle), toInput(schema, values));
    setEdited({});
    setVersion((before) => before + 1);
    setSaved(true);
  });
  if (error)
    return <p className="facts">{error.code === 'not_found' ? 'No props.' : error.message}</p>;
  if (!data) return <p role="status">Loading…</p>;
  return (
    <form className="tool-form" onSubmit={submit}>
      <SchemaFields
        prefix={`props.${bundle}`}
        schema={schema}
        values={values}
        onChange={(name, value) => setEdited((before) => ({ ...before, [name]: value }))}
      />
      <button type="submit" disabled={isBusy}>
        Save props
      </button>
      <output aria-live="polite">{isSaved && 'Saved; in force from now on.'}</output>
      {problem !== '' && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
