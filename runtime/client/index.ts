export { Fault } from '../base/fault.ts';
export type { Json } from '../base/json.ts';
export { Refusal } from '../base/refusal.ts';
export type { BundleFacts, Client, ConnectOptions } from './api/client.ts';
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
  HandedOffCall,
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
} from './api/types.ts';
export { connect } from './connect.ts';
