import type { FieldSchema, ObjectSchema } from '../data/project-wire.ts';

type Props = {
  /** Begins the id of each field. */
  readonly prefix: string;
  readonly schema: ObjectSchema;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
};

/** One field for each property of an object, made of its JSON Schema. */
export function SchemaFields({ prefix, schema, values, onChange }: Props) {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, field]) => (
    <div key={name} className="field">
      <label htmlFor={`${prefix}.${name}`}>
        {name}
        {required.includes(name) && field.default === undefined ? '' : ' (optional)'}
      </label>
      <Field
        id={`${prefix}.${name}`}
        schema={field}
        value={values[name] ?? ''}
        isRequired={required.includes(name) && field.default === undefined}
        onChange={(value) => onChange(name, value)}
      />
      {field.description !== undefined && <span className="facts">{field.description}</span>}
    </div>
  ));
}

type FieldProps = {
  readonly id: string;
  readonly schema: FieldSchema;
  readonly value: string;
  readonly isRequired: boolean;
  readonly onChange: (value: string) => void;
};

function Field({ id, schema, value, isRequired, onChange }: FieldProps) {
  const { type, default: preset } = schema;
  const choices = type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
  const hint = preset === undefined ? '' : `default: ${JSON.stringify(preset)}`;
  if (choices) {
    return (
      <select
        id={id}
        value={value}
        required={isRequired}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{hint}</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  if (type === 'object' || type === 'array') {
    return (
      <textarea
        id={id}
        rows={3}
        value={value}
        required={isRequired}
        placeholder={hint || (type === 'array' ? 'JSON: [ … ]' : 'JSON: { … }')}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  const isNumber = type === 'number' || type === 'integer';
  return (
    <input
      id={id}
      type={isNumber ? 'number' : 'text'}
      step={type === 'integer' ? 1 : 'any'}
      min={schema.minimum}
      max={schema.maximum}
      value={value}
      required={isRequired}
      placeholder={hint}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
