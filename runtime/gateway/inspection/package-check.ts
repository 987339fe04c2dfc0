import { FlawError } from './flaw.ts';
import {
  type ContentTypes,
  partOf,
  type Relationship,
  readContentTypes,
  readRelationships,
  sourceOf,
} from './package-index.ts';
import { PackageBudget, type ZipMember, zipMembers } from './zip-members.ts';

const office = 'application/vnd.openxmlformats-officedocument';
/** Types of the main part, and of the document. */
const documents: Readonly<Record<string, string>> = {
  [`${office}.wordprocessingml.document.main+xml`]: `${office}.wordprocessingml.document`,
  [`${office}.spreadsheetml.sheet.main+xml`]: `${office}.spreadsheetml.sheet`,
  [`${office}.presentationml.presentation.main+xml`]: `${office}.presentationml.presentation`,
};

const index = '[content_types].xml';
const zipStart = Buffer.from('PK\x03\x04', 'latin1');
const compoundStart = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const archiveName = /\.(zip|jar|war|apk|7z|rar)$/i;
const macroName = /(^|\/)(vba(project|data)[^/]*\.(bin|xml)$|activex\/|macrosheets\/)/i;
const macroType = /macroenabled|vbaproject|vbadata|activex|macrosheet/i;
const macroKind = /^(vbaProject|wordVbaData|activeXControlBinary|control|xl(Intl)?Macrosheet)$/i;
/** Targets outside the package that are followed on a click or never. */
const harmlessLink = /^(hyperlink|image|audio|video|media|externalLinkPath|linkedImage)$/;

/** The type of an Office document. Throws FlawError, or another error if the package cannot be read. */
export async function checkPackage(archive: Buffer): Promise<string> {
  return await readPackage(archive, { budget: new PackageBudget(), isEmbedded: false });
}

type Found = {
  /** In lower case: names of parts are case-insensitive. */
  readonly names: Set<string>;
  readonly relationships: Map<string, readonly Relationship[]>;
  types?: ContentTypes;
};
type PackageContext = { readonly budget: PackageBudget; readonly isEmbedded: boolean };

async function readPackage(archive: Buffer, inside: PackageContext): Promise<string> {
  const found: Found = { names: new Set(), relationships: new Map() };
  for await (const member of zipMembers(archive, inside.budget, isWanted)) {
    const name = member.name.toLowerCase();
    if (macroName.test(name)) throw macros();
    found.names.add(name);
    if (isIndex(name)) readIndex(name, member.bytes, found);
    else await checkMember(member, inside);
  }
  const { types, relationships, names } = found;
  if (!types) throw new FlawError('archive', 'is an archive; send its files one by one');
  if (types.all.some((type) => macroType.test(type))) throw macros();
  for (const [at, links] of relationships) checkRelationships(links, sourceOf(at));
  return documentType(relationships.get('_rels/.rels') ?? [], { types, names });
}

function readIndex(name: string, bytes: Buffer | undefined, found: Found): void {
  if (!bytes) return;
  if (name === index) found.types = readContentTypes(bytes);
  else found.relationships.set(name, readRelationships(bytes));
}

async function checkMember(
  { name, head, bytes }: ZipMember,
  inside: PackageContext,
): Promise<void> {
  if (bytes && starts(head, compoundStart)) checkCompound(bytes);
  if (!starts(head, zipStart) && !archiveName.test(name)) return;
  if (inside.isEmbedded || !bytes) throw nestedArchive(name);
  await readPackage(bytes, { ...inside, isEmbedded: true }).catch(asNested(name));
}

function isIndex(name: string): boolean {
  return name === index || name.endsWith('.rels');
}

function isWanted(name: string, head: Buffer): boolean {
  const isDocument = /\.(docx|xlsx|pptx)$/i.test(name);
  if (isIndex(name.toLowerCase()) || starts(head, compoundStart)) return true;
  return isDocument && starts(head, zipStart);
}

function starts(head: Buffer, signature: Buffer): boolean {
  return head.subarray(0, signature.length).equals(signature);
}

function documentType(
  relationships: readonly Relationship[],
  { types, names }: { types: ContentTypes; names: ReadonlySet<string> },
): string {
  const [main, another] = relationships.filter(({ kind }) => kind === 'officeDocument');
  const part = main && !another ? partOf(main.target, '') : undefined;
  if (part === undefined || !names.has(part.toLowerCase())) {
    throw new FlawError('malformed', 'is damaged: it does not say which part is the document');
  }
  const type = types.of(part) ?? '';
  const found = documents[type];
  if (found !== undefined) return found;
  const message = 'is not a supported Word document, Excel workbook or PowerPoint presentation';
  throw new FlawError('unsupported_type', `${message}; save it as .docx, .xlsx or .pptx`);
}

function checkRelationships(found: readonly Relationship[], source: string): void {
  for (const { kind, target, isExternal } of found) {
    if (macroKind.test(kind)) throw macros();
    if (!isExternal && partOf(target, source) === undefined) {
      throw new FlawError('unsafe_names', 'refers to a part outside the package');
    }
    if (isExternal && !harmlessLink.test(kind) && !isLocal(target)) {
      const message = `loads a ${kind.slice(0, 40)} from another location; embed it or remove it`;
      throw new FlawError('external_content', message);
    }
  }
}

/** A file on the author's own machine, which nothing else can reach: Word refers to its template this way. */
function isLocal(target: string): boolean {
  return (
    /^(file:\/\/\/)?[A-Za-z]:[\\/]/.test(target) || !/^[a-z][a-z0-9+.-]*:|^[\\/]{2}/i.test(target)
  );
}

/** An embedded object in the older format of Office. */
function checkCompound(bytes: Buffer): void {
  if (bytes.includes(Buffer.from('_VBA_PROJECT', 'utf16le'))) throw macros();
  if (bytes.includes(Buffer.from('\x01Ole10Native', 'utf16le'))) {
    const message = 'contains an embedded file; remove it, or send it separately';
    throw new FlawError('active_content', message);
  }
}

function macros(): FlawError {
  return new FlawError('macros', 'contains macros; save it without them');
}

function nestedArchive(name: string): FlawError {
  const message = `contains an archive (${name.slice(0, 100)}); send its files one by one`;
  return new FlawError('nested_archive', message);
}

/** An embedded package must be a document of its own; otherwise it is an archive. */
function asNested(name: string): (error: unknown) => never {
  return (error) => {
    const isNone =
      !(error instanceof FlawError) ||
      ['archive', 'unsupported_type', 'malformed'].includes(error.flaw.reason);
    throw isNone ? nestedArchive(name) : error;
  };
}
