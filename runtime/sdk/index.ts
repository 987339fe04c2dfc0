/** What bundles see: everything here is a declaration, nothing here acts. */
export { type Agent, type AgentOptions, defineAgent, starters } from './agent.ts';
export { type Bundle, defineBundle, type McpEndpoint, type McpServer } from './bundle.ts';
export type {
  AnyTool,
  Ask,
  Asset,
  Canvas,
  Context,
  FileBody,
  Ids,
  KeyValue,
  Log,
  Progress,
  RequestContext,
  Sent,
  Tool,
  ToolContext,
  ToolOptions,
  TurnContext,
  UserContext,
} from './context.ts';
export {
  defineHook,
  type Hook,
  type HookToolResult as ToolResult,
  type Incoming,
  type Outgoing,
  type ToolCall,
} from './hook.ts';
export type { EventDefinition, Job, Props, Resource, Secret } from './keys.ts';
export { defineKnowledge, type Knowledge } from './knowledge.ts';
export type { ModelOptions, ModelRef } from './model.ts';
export { delegate, dispatch, external, type Runner, sandbox } from './runner.ts';
export { defineProps, defineResource, defineSecret } from './settings.ts';
export {
  type Block,
  Fault,
  type FileRef,
  type Json,
  Refusal,
  type Source,
  type Trait,
} from './shared.ts';
export { defineSkill, type Skill } from './skill.ts';
export {
  type Access,
  defineEvent,
  defineJob,
  defineOperation,
  defineWidget,
  type Operation,
  type Widget,
} from './surfaces.ts';
export { ask, defineTool, refuse, type ToolPattern } from './tool.ts';
