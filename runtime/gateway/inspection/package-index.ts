import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { FlawError } from './flaw.ts';
import { packageIndexBytesMax } from './limits.ts';

/** The content types of the parts of a package, from `[Content_Types].xml`. */
export type ContentTypes = {
  readonly all: readonly string[];
  of(part: string): string | undefined;
};

export type Relationship = {
  /** The last segment of its type: `officeDocument`, `hyperlink`, `image`. */
  readonly kind: string;
  readonly target: string;
  readonly isExternal: boolean;
};

export function readContentTypes(xml: Buffer): ContentTypes {
  const root = rootOf(xml, 'Types');
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  for (const { name, attributes } of elementsOf(root)) {
    const type = attributes['ContentType'] ?? '';
    if (name === 'Default') defaults.set((attributes['Extension'] ?? '').toLowerCase(), type);
    if (name === 'Override') overrides.set((attributes['PartName'] ?? '').toLowerCase(), type);
  }
  return {
    all: [...defaults.values(), ...overrides.values()],
    of(part) {
      const name = part.toLowerCase();
      return overrides.get(`/${name}`) ?? defaults.get(name.slice(name.lastIndexOf('.') + 1));
    },
  };
}

export function readRelationships(xml: Buffer): readonly Relationship[] {
  return elementsOf(rootOf(xml, 'Relationships'))
    .filter(({ name }) => name === 'Relationship')
    .map(({ attributes }) => ({
      kind: attributes['Type']?.split('/').at(-1) ?? '',
      target: attributes['Target'] ?? '',
      isExternal: attributes['TargetMode'] === 'External',
    }));
}

/** Resolves a target relative to the part that has the relationship. Undefined: it points outside the package. */
export function partOf(target: string, from: string): string | undefined {
  const folder = from.split('/').slice(0, -1);
  const steps = target.startsWith('/') ? target.split('/') : [...folder, ...target.split('/')];
  const path: string[] = [];
  for (const step of steps) {
    if (step === '..' && path.pop() === undefined) return undefined;
    if (!['', '.', '..'].includes(step)) path.push(step);
  }
  return path.join('/');
}

/** `word/_rels/document.xml.rels` has the relationships of `word/document.xml`, `_rels/.rels` those of the package. */
export function sourceOf(relationships: string): string {
  return relationships.replace(/_rels\/([^/]*)\.rels$/, '$1');
}

function rootOf(xml: Buffer, name: string): XmlElement {
  if (xml.length > packageIndexBytesMax) throw broken('one of its indexes is too large');
  const { root } = parseXml(decoded(xml));
  if (localName(root?.name ?? '') !== name || root === null) throw broken('an index has no root');
  return root;
}

function elementsOf(root: XmlElement) {
  return root.children
    .filter((child): child is XmlElement => child instanceof XmlElement)
    .map(({ name, attributes }) => ({ name: localName(name), attributes }));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Packages must not declare document types, because entities could expand to anything. */
function decoded(xml: Buffer): string {
  const isWide = xml[0] === 0xff || xml[0] === 0xfe;
  const encoding = isWide ? (xml[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8';
  const text = new TextDecoder(encoding, { fatal: true }).decode(xml);
  if (/<!DOCTYPE/i.test(text)) throw broken('an index declares a document type');
  return text;
}

function broken(why: string): FlawError {
  return new FlawError('malformed', `is damaged: ${why}`);
}
