/** The public API for bundles. Everything here declares; nothing here runs. */
export { type Agent, type AgentOptions, defineAgent } from './define/agent.ts';
export { type Bundle, defineBundle, type McpEndpoint, type McpServer } from './define/bundle.ts';
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
} from './define/context.ts';
export {
  defineHook,
  type Hook,
  type HookToolResult as ToolResult,
  type Incoming,
  type Outgoing,
  type ToolCall,
} from './define/hook.ts';
export type { EventDefinition, Job, Props, Resource, Secret } from './define/keys.ts';
export { defineKnowledge, type Knowledge } from './define/knowledge.ts';
export type { ModelOptions, ModelRef } from './define/model.ts';
export {
  type Block,
  Fault,
  type FileRef,
  type Json,
  Refusal,
  type Source,
  type Trait,
} from './define/platform-exports.ts';
export { delegate, dispatch, external, type Runner, sandbox } from './define/runner.ts';
export { defineProps, defineResource, defineSecret } from './define/settings.ts';
export { defineSkill, type Skill, type SkillArgument } from './define/skill.ts';
export { starters } from './define/starters.ts';
export {
  type Access,
  defineEvent,
  defineJob,
  defineOperation,
  defineWidget,
  type Operation,
  type Widget,
} from './define/surfaces.ts';
export { ask, deferred, defineTool, refuse, type ToolPattern } from './define/tool.ts';
