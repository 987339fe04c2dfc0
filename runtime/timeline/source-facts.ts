import { z } from 'zod';

/** What is known of a source beside its address, title and text. A fact that is not known is absent. */
export const sourceFacts = {
  /** Where it comes from. Absent: the web. */
  type: z.enum(['web', 'file', 'attachment', 'manual']).exactOptional(),
  mime: z.string().exactOptional(),
  author: z.string().exactOptional(),
  /** The name of the site or publication. */
  site: z.string().exactOptional(),
  /** Dates in ISO form. */
  published: z.string().exactOptional(),
  modified: z.string().exactOptional(),
  /** How well it suits the question, from 0 to 1, in the judgement of the search engine. */
  relevance: z.number().min(0).max(1).exactOptional(),
  favicon: z.string().exactOptional(),
};
const SourceFacts = z.object(sourceFacts);
export type SourceFacts = Readonly<z.infer<typeof SourceFacts>>;

const factCharsMax = 300;
const faviconCharsMax = 2_000;

/** The facts of a row, without what does not fit: they come from pages and search engines. */
export function factsOf(row: object): SourceFacts {
  const facts: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(sourceFacts)) {
    const value: unknown = Reflect.get(row, name);
    if (value === undefined) continue;
    const short = typeof value === 'string' ? shortened(name, value) : value;
    if (short !== undefined && schema.safeParse(short).success) facts[name] = short;
  }
  return SourceFacts.parse(facts);
}

/** A favicon is an address, which is dropped rather than cut. */
function shortened(name: string, text: string): string | undefined {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim();
  if (line === '') return undefined;
  if (name !== 'favicon') return line.slice(0, factCharsMax).toWellFormed();
  return /^https?:\/\//i.test(line) && line.length <= faviconCharsMax ? line : undefined;
}
