export type { ChannelEvent, ChannelFormat, ChannelSpec, ScanNoticeCode } from './channel.ts';
export { createScanner, type Scanner } from './scanner.ts';
