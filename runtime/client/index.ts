export { Fault } from '../base/fault.ts';
export type { Json } from '../base/json.ts';
export { Refusal } from '../base/refusal.ts';
export type { BundleFacts, Client, ConnectOptions } from './client.ts';
export { connect } from './connect.ts';
export type {
  Attachment,
  Block,
  ChatEvent,
  CloseReason,
  Conversation,
  ConversationState,
  Cursor,
  Delta,
  FileRef,
  OutputCitation,
  OutputSchema,
  Reaction,
  Recalled,
  SendOptions,
  Source,
  Turn,
  TurnFeedback,
  TurnResult,
  TurnState,
  Usage,
} from './types.ts';
