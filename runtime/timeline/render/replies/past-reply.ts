import type { Json, JsonObject } from '../../../base/json.ts';
import type { CallId } from '../../ids.ts';

/** What the model said in one earlier round, to be written again in the form of its protocol. */
export type PastReply = {
  readonly thinking: readonly string[];
  /** Texts of other channels, in order: remarks, notes to itself, channels of the bundle. */
  readonly texts: readonly ChannelText[];
  readonly calls: readonly PastCall[];
  readonly canvases: readonly PastCanvas[];
  readonly answers: readonly PastAnswer[];
  readonly summaries: readonly string[];
};

export type ChannelText = { readonly channel: string; readonly text: string };

export type PastCall = {
  readonly call: CallId;
  readonly tool: string;
  readonly notes: string;
  /** Without its program. */
  readonly input: JsonObject;
  readonly program?: string;
};

export type PastCanvas = {
  readonly name: string;
  readonly mime?: string;
  readonly title?: string;
  readonly text: string;
};

export type PastAnswer = {
  readonly action: 'complete' | 'exit';
  readonly text: string;
  readonly followups: readonly string[];
  readonly output?: Json;
};

/** The input with the program in it, as protocols without a channel for programs write it. */
export function inputWithProgram({ input, program }: PastCall): JsonObject {
  return program === undefined ? input : { ...input, code: program };
}
