import type { Hono, MiddlewareHandler } from 'hono';
import { type Env, type HttpParts, shapeErrors } from '../../http/context.ts';
import { postChatCompletion } from './chat-completions.ts';
import { postConversation } from './conversations.ts';
import { openAiError } from './error-shape.ts';
import { deleteFile, getFile, getFileContent, getFiles, postFile } from './files.ts';
import { getModel, getModels } from './models.ts';
import { postResponse } from './responses.ts';
import { cancelResponse, getResponse } from './stored-responses.ts';

/** The OpenAI API: below `/v1` for the installation's tenant and project, and with both in the path. */
const openAiPrefixes = ['/v1', '/api/openai/:tenant/:project/v1'] as const;

export const shapeOpenAiErrors = shapeErrors(openAiError);

export function addOpenAiRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  for (const prefix of openAiPrefixes) {
    app.use(`${prefix}/*`, known);
    app.post(`${prefix}/chat/completions`, (context) => postChatCompletion(context, parts));
    app.post(`${prefix}/responses`, (context) => postResponse(context, parts));
    app.get(`${prefix}/responses/:response`, (context) => getResponse(context, parts));
    app.post(`${prefix}/responses/:response/cancel`, (context) => cancelResponse(context, parts));
    app.post(`${prefix}/conversations`, (context) => postConversation(context, parts));
    app.get(`${prefix}/models`, (context) => getModels(context, parts));
    app.get(`${prefix}/models/:model{.+}`, (context) => getModel(context, parts));
    app.post(`${prefix}/files`, (context) => postFile(context, parts));
    app.get(`${prefix}/files`, (context) => getFiles(context, parts));
    app.get(`${prefix}/files/:file`, (context) => getFile(context, parts));
    app.delete(`${prefix}/files/:file`, (context) => deleteFile(context, parts));
    app.get(`${prefix}/files/:file/content`, (context) => getFileContent(context, parts));
  }
}
