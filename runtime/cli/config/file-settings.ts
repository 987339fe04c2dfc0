import { type ClamdAddress, createScan } from '../../adapters/clamav/scan.ts';
import type { FileRules } from '../../gateway/ports/file-rules.ts';
import type { Descriptors } from './descriptors.ts';

/** The socket of Debian's clamd. */
const defaultClamdSocket = '/run/clamav/clamd.ctl';

export type FileSettings = {
  readonly files: FileRules;
  /** The clamd that scans files; undefined: files are not scanned. */
  readonly antivirus: ClamdAddress | undefined;
};

/** The attachment settings of `gateway.yaml`. With jwt, files are scanned for viruses unless that is switched off. */
export function toFileSettings(
  { gateway: { attachments = {} } }: Descriptors,
  { mode }: { mode: 'dev' | 'jwt' },
): FileSettings {
  const { message_mb, image_mb, pdf_mb, text_mb, file_mb, pdf_pages } = attachments;
  const address = toAddress(attachments.antivirus ?? mode === 'jwt');
  return {
    files: {
      imageBytes: toBytes(image_mb),
      pdfBytes: toBytes(pdf_mb),
      textBytes: toBytes(text_mb),
      fileBytes: toBytes(file_mb),
      messageBytes: toBytes(message_mb),
      pdfPages: pdf_pages,
      scan: address && createScan(address),
    },
    antivirus: address,
  };
}

function toBytes(mb: number | undefined): number | undefined {
  return mb === undefined ? undefined : Math.floor(mb * 1024 * 1024);
}

function toAddress(setting: boolean | string): ClamdAddress | undefined {
  if (setting === false) return undefined;
  if (setting === true) return { path: defaultClamdSocket };
  if (setting.startsWith('/')) return { path: setting };
  const { hostname, port } = new URL(`tcp://${setting}`);
  return { host: hostname, port: Number(port) };
}
