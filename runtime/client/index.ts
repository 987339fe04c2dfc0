export { Fault } from '../base/fault.ts';
export type { Json } from '../base/json.ts';
export { Refusal } from '../base/refusal.ts';
export type { ClientAccount, OwnProps, SecretEntry } from './api/account.ts';
export type {
  BundleFacts,
  Client,
  ConnectOptions,
  ConversationFacts,
  ConversationPage,
  ConversationQuery,
} from './api/client.ts';
export type {
  ApprovalPart,
  CanvasPart,
  ConversationState,
  MessagePart,
  PlanPart,
  ProgramPart,
  SecretPart,
  StoryPart,
  StoryTurn,
  TextPart,
  ToolPart,
  TurnEnd,
  TurnState,
} from './api/story.ts';
export type {
  Attachment,
  Block,
  ChatEvent,
  Conversation,
  Cursor,
  Delta,
  EventOptions,
  HandedOffCall,
  OutputCitation,
  OutputSchema,
  Recalled,
  SendOptions,
  Turn,
  TurnFeedback,
  TurnResult,
} from './api/types.ts';
export type { CloseReason, FileRef, Reaction, Source, Usage } from './api/values.ts';
export { connect } from './connect.ts';
