export { Fault } from '../base/fault.ts';
export { Refusal } from '../base/refusal.ts';
export { connect } from './connect.ts';
export type {
  Attachment,
  Block,
  ChatEvent,
  Client,
  CloseReason,
  ConnectOptions,
  Conversation,
  ConversationState,
  Cursor,
  Delta,
  FileRef,
  OutputCitation,
  OutputSchema,
  SendOptions,
  Source,
  Turn,
  TurnResult,
  TurnState,
  Usage,
} from './types.ts';
