import type { FieldSchema, ObjectSchema } from './object-schema.ts';
import { toText } from './to-input.ts';

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
  const isRequired = (name: string, field: FieldSchema) =>
    required.includes(name) && field.default === undefined;
  return Object.entries(properties).map(([name, field]) => (
    <div key={name} className="field">
      <label htmlFor={`${prefix}.${name}`}>
        {name}
        {required.length === 0 || isRequired(name, field) ? '' : ' (optional)'}
      </label>
      <Field
        id={`${prefix}.${name}`}
        schema={field}
        value={values[name] ?? ''}
        isRequired={isRequired(name, field)}
        onChange={(value) => onChange(name, value)}
      />
      {field.description !== undefined && (
        <span className="facts" id={`${prefix}.${name}.facts`}>
          {field.description}
        </span>
      )}
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
  const { type } = schema;
  const facts = schema.description === undefined ? undefined : `${id}.facts`;
  const choices = type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
  const hint = hintOf(schema);
  if (choices) {
    return (
      <select
        id={id}
        aria-describedby={facts}
        value={value}
        required={isRequired}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{hint}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {labelOf(schema, choice)}
          </option>
        ))}
      </select>
    );
  }
  if (type === 'object' || type === 'array') {
    return (
      <textarea
        id={id}
        aria-describedby={facts}
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
      aria-describedby={facts}
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

function hintOf(schema: FieldSchema): string {
  const { default: preset } = schema;
  return preset === undefined ? '' : `default: ${labelOf(schema, toText(preset))}`;
}

function labelOf({ type }: FieldSchema, value: string): string {
  if (type !== 'boolean') return value;
  return value === 'true' ? 'yes' : 'no';
}
