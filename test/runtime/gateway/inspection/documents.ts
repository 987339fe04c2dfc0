import { deflateSync } from 'node:zlib';
import { type Member, zipOf } from '../../../supervisor/egress/archives.ts';

/** Small files of every type that is accepted, and parts to make others from. */

const office = 'application/vnd.openxmlformats-officedocument';
const relationshipTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export const kinds = {
  docx: {
    mime: `${office}.wordprocessingml.document`,
    main: `${office}.wordprocessingml.document.main+xml`,
    part: 'word/document.xml',
  },
  xlsx: {
    mime: `${office}.spreadsheetml.sheet`,
    main: `${office}.spreadsheetml.sheet.main+xml`,
    part: 'xl/workbook.xml',
  },
  pptx: {
    mime: `${office}.presentationml.presentation`,
    main: `${office}.presentationml.presentation.main+xml`,
    part: 'ppt/presentation.xml',
  },
} as const;

type PackageParts = {
  readonly kind?: keyof typeof kinds;
  /** Further elements of `[Content_Types].xml`. */
  readonly types?: string;
  /** Relationships of the main part. */
  readonly links?: string;
  readonly members?: readonly Member[];
  readonly main?: string;
};

export function packageOf({ kind = 'docx', types = '', links = '', ...rest }: PackageParts = {}) {
  const { part, main: usual } = kinds[kind];
  const { main = usual, members = [] } = rest;
  const folder = part.slice(0, part.indexOf('/'));
  const file = part.slice(part.indexOf('/') + 1);
  return zipOf([
    text(
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
        <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
        <Default Extension="xml" ContentType="application/xml"/>
        <Override PartName="/${part}" ContentType="${main}"/>${types}</Types>`,
    ),
    text('_rels/.rels', relationships(link('officeDocument', part))),
    text(part, '<document/>'),
    text(`${folder}/_rels/${file}.rels`, relationships(links)),
    ...members,
  ]);
}

export function text(name: string, content: string): Member {
  return { name, bytes: Buffer.from(content) };
}

export function link(kind: string, target: string, mode = ''): string {
  const external = mode === '' ? '' : ` TargetMode="${mode}"`;
  return `<Relationship Id="r1" Type="${relationshipTypes}/${kind}" Target="${target}"${external}/>`;
}

function relationships(content: string): string {
  const namespace = 'http://schemas.openxmlformats.org/package/2006/relationships';
  return `<?xml version="1.0"?><Relationships xmlns="${namespace}">${content}</Relationships>`;
}

type PdfParts = {
  readonly pages?: number;
  /** Entries of the catalog and of the trailer. */
  readonly catalog?: string;
  readonly trailer?: string;
  readonly objects?: readonly string[];
};

export function pdfOf({
  pages = 1,
  catalog = '',
  trailer = '',
  objects = [],
}: PdfParts = {}): Buffer {
  const first = 3;
  const kids = Array.from({ length: pages }, (_, at) => `${first + at} 0 R`).join(' ');
  const all = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Count ${pages}/Kids[${kids}]>>`,
    ...Array.from({ length: pages }, () => '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>'),
    ...objects,
  ];
  let file = '%PDF-1.7\n';
  const offsets = all.map((body, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const end = `trailer\n<</Size ${all.length + 1}/Root 1 0 R${trailer}>>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + end, 'latin1');
}

/** A stream object whose content is deflated. */
export function streamOf(entries: string, content: Buffer): string {
  const packed = deflateSync(content).toString('latin1');
  return `<<${entries}/Filter/FlateDecode/Length ${packed.length}>>\nstream\n${packed}\nendstream`;
}

const base64 = (data: string) => Buffer.from(data, 'base64');

/** A PNG whose header states this size. */
export function pngOf(width: number, height: number): Buffer {
  const png = Buffer.from(images.png);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

export const images = {
  png: base64(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  gif: base64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  webp: base64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
  jpg: base64(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  ),
};

export const parquet = Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(40), Buffer.from('PAR1')]);
export const arrow = Buffer.concat([
  ...[Buffer.from('ARROW1\0\0'), Buffer.alloc(40), Buffer.from('ARROW1')],
]);

/** The beginning of a program, as Linux and Windows have them. */
export const programs = {
  elf: Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(200)]),
  exe: Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(200)]),
};

/** One of each type, under the name it would come with. */
export const accepted: readonly (readonly [name: string, mime: string, bytes: Buffer])[] = [
  ['a.docx', kinds.docx.mime, packageOf()],
  ['a.xlsx', kinds.xlsx.mime, packageOf({ kind: 'xlsx' })],
  ['a.pptx', kinds.pptx.mime, packageOf({ kind: 'pptx' })],
  ['a.pdf', 'application/pdf', pdfOf()],
  ['a.png', 'image/png', images.png],
  ['a.gif', 'image/gif', images.gif],
  ['a.webp', 'image/webp', images.webp],
  ['a.jpg', 'image/jpeg', images.jpg],
  ['a.parquet', 'application/vnd.apache.parquet', parquet],
  ['a.arrow', 'application/vnd.apache.arrow.file', arrow],
  ['a.csv', 'text/csv', Buffer.from('a,b\n1,2\n')],
  ['a.json', 'application/json', Buffer.from('{"a":1}')],
  ['a.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a.md', 'text/markdown', Buffer.from('# Grüße 😀\n')],
  ['wide.txt', 'text/plain', Buffer.from('\ufeffwide text', 'utf16le')],
];
