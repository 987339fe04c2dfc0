export type {
  ChannelEvent,
  ChannelFormat,
  ChannelSpec,
  ScanNoticeCode,
} from './protocol/channel.ts';
export { createScanner, type Scanner } from './scan/scanner.ts';
