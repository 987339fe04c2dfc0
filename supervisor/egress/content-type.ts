const marks = {
  png: ['89504e470d0a1a0a'],
  jpeg: ['ffd8ff'],
  gif: ['474946383761', '474946383961'],
  webp: ['52494646'],
  pdf: ['255044462d'],
  zip: ['504b0304', '504b0506'],
  gzip: ['1f8b'],
  parquet: ['50415231'],
  /** bzip2, xz, zstd, lz4, 7z, rar: archives that cannot be inspected here. */
  opaque: ['425a68', 'fd377a585a00', '28b52ffd', '04224d18', '377abcaf271c', '526172211a07'],
} as const;
type Mark = keyof typeof marks;

const byExtension: Readonly<Record<string, Mark>> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  gif: 'gif',
  webp: 'webp',
  pdf: 'pdf',
  parquet: 'parquet',
  zip: 'zip',
  docx: 'zip',
  pptx: 'zip',
  xlsx: 'zip',
  gz: 'gzip',
  tgz: 'gzip',
};

/** Whether the extension of a file does not match its content; names without a known extension always match. */
export function isMisnamed(name: string, head: Buffer): boolean {
  const extension = extensionOf(name);
  const mark = Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
  return mark !== undefined && !hasMark(head, mark);
}

/** Office documents are zip files with this member. */
export function packageMember(name: string): string | undefined {
  return ['docx', 'pptx', 'xlsx'].includes(extensionOf(name)) ? '[Content_Types].xml' : undefined;
}

export function hasMark(head: Buffer, mark: Mark): boolean {
  return marks[mark].some((hex) => head.subarray(0, hex.length / 2).toString('hex') === hex);
}

function extensionOf(name: string): string {
  return /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}
