import { z } from 'zod';

/** Types that JSON cannot represent, with the alternative for each. */
const instead: Readonly<Record<string, string>> = {
  date: 'z.iso.datetime() or z.iso.date()',
  bigint: 'z.int(), or z.string() for larger numbers',
  map: 'z.record()',
  set: 'z.array()',
  symbol: 'z.string()',
  nan: 'z.number()',
  file: 'the path of a file as z.string()',
  function: 'a tool of its own',
  promise: 'the value itself',
};

/** Parts of a schema that no JSON value can match, one sentence each. */
export function jsonSchemaProblems(
  schema: z.ZodType,
  who: string,
  exempt: readonly string[] = [],
): readonly string[] {
  const found = new Set<string>();
  z.toJSONSchema(schema, {
    ...{ io: 'input', unrepresentable: 'any', cycles: 'ref' },
    override: ({ zodSchema, path }) => {
      const { def } = zodSchema._zod;
      const isCoerced = 'coerce' in def && def.coerce === true;
      const better = isCoerced ? undefined : instead[def.type];
      if (better === undefined) return;
      const keys = path.filter((key) => key !== 'properties');
      if (exempt.includes(String(keys[0]))) return;
      found.add(
        `${who}: ${keys.join('.') || 'it'} is z.${def.type}(), which JSON cannot hold; use ${better}`,
      );
    },
  });
  return [...found];
}

/** The input of a tool is an object with its parameters, which authors without types may get wrong. */
export function rootProblems(schema: z.ZodType, who: string): readonly string[] {
  const { type } = schema._zod.def;
  return type === 'object' ? [] : [`${who} is z.${type}(); use z.object({ … })`];
}
