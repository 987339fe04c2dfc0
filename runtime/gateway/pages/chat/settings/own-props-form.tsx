/// <reference lib="dom" />
import { type FormEvent, type ReactNode, useState } from 'react';
import type { OwnProps } from '../../../../client/index.ts';
import type { FieldSchema, ObjectSchema } from '../../shared/schema-form/object-schema.ts';
import { SchemaFields } from '../../shared/schema-form/schema-fields.tsx';
import { toInput, toText } from '../../shared/schema-form/to-input.ts';
import { useClient } from '../state/client-context.ts';
import { problemOf } from './problem-of.ts';

type Props = { readonly bundle: string; readonly title: string; readonly own: OwnProps };
type Values = Readonly<Record<string, string>>;

/** What a user sets for themselves in a bundle. An empty field has the value of the operator. */
export function OwnPropsForm({ bundle, title, own }: Props): ReactNode {
  const { account } = useClient();
  const schema = withDefaults(own);
  const [values, setValues] = useState<Values>(() => textsOf(own.props));
  const [outcome, setOutcome] = useState('');
  const [problem, setProblem] = useState('');
  const act = async (failed: string, change: () => Promise<string>) => {
    setOutcome('');
    setProblem('');
    try {
      setOutcome(await change());
    } catch (error) {
      setProblem(problemOf(failed, error));
    }
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    void act('Not saved', async () => {
      await account.setProps(bundle, toInput(schema, values));
      return 'Saved; used from the next message on.';
    });
  };
  const reset = () =>
    act('Not reset', async () => {
      await account.deleteProps(bundle);
      setValues({});
      return 'The defaults apply again.';
    });
  return (
    <form className="own-props" aria-label={`Your settings of ${title}`} onSubmit={save}>
      <SchemaFields
        prefix={`own.${bundle}`}
        schema={schema}
        values={values}
        onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
      />
      <div className="answers">
        <button type="submit" className="primary">
          Save
        </button>
        <button type="button" onClick={() => void reset()}>
          Use the defaults
        </button>
        <span className="outcome" role="status">
          {outcome}
        </span>
      </div>
      <p className="problem" role="alert">
        {problem}
      </p>
    </form>
  );
}

/** What applies to a user who sets nothing. */
function withDefaults({ schema, shared }: OwnProps): ObjectSchema {
  const { properties = {} } = schema as ObjectSchema;
  const entries = Object.entries(properties).map(([name, field]): [string, FieldSchema] => [
    name,
    Object.hasOwn(shared, name) ? { ...field, default: shared[name] } : field,
  ]);
  return { properties: Object.fromEntries(entries) };
}

function textsOf(props: OwnProps['props']): Values {
  return Object.fromEntries(Object.entries(props).map(([name, value]) => [name, toText(value)]));
}
