import { useId } from 'react';
import { inspectUrl } from '../data/server.ts';
import { useJson } from '../data/use-json.ts';

type Props = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Which model it is if none is named. */
  readonly fallback: string;
};

/** A model that the installation names, or any other that it can open. */
export function ModelField({ value, onChange, fallback }: Props) {
  const id = useId();
  const { data } = useJson<{ can_name: boolean; items: readonly string[] }>(inspectUrl('models'));
  const isFixed = data?.can_name === false;
  return (
    <label>
      Model
      <input
        value={value}
        list={id}
        placeholder={isFixed ? fallback : `${fallback}, or provider:name`}
        disabled={isFixed}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {data?.items.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  );
}
