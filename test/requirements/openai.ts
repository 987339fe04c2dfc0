import type { Promises } from './promises.ts';

export const openai: Promises = {
  'options.tools':
    'A message declares functions, which are tools of the turn that it opens; its sender performs their calls.',
  'openai.text':
    'Text that clients of OpenAI have received grows to the text on the log, or is withdrawn.',
  'openai.chunks':
    'A turn is a stream of chat completion chunks, or one completion, with its tools and files as mistral.rs reports them.',
  'openai.usage': 'Prompt tokens cover all rounds and include cached ones.',
  'openai.dispatch':
    'A request names where its functions are performed only inside the allow list of the operator, and never at a private address that the list does not name.',
  'openai.client-tools':
    'A call of a function of the request ends the completion with tool_calls; the results go on with the same turn.',
  'openai.chat':
    'The official client of OpenAI gets the answer of a turn from Chat Completions, streamed and whole.',
  'openai.responses':
    'The official client gets the answer of a turn from Responses, as events with consecutive numbers.',
  'openai.background':
    'A background response goes on without its client, who follows it from any event, or cancels it.',
  'openai.langchain': "LangChain's ChatOpenAI talks to agents, with its own tools.",
  'openai.ai-sdk':
    "The AI SDK's OpenAI provider talks to agents, over both APIs and with its own tools.",
  'openai.json': 'A request with a JSON Schema gets an answer that matches it.',
  'openai.fuzz':
    'Whatever is sent to the OpenAI API is answered, and nothing of it breaks the server.',
  'openai.access': 'With tokens, the API key of a client of OpenAI is its token.',
  'openai.citations':
    'The citations of an answer are links, and each link is a url_citation that says where it is; a stream shows the answer once.',
  'openai.searches':
    'Searches of the server are web_search_call items of a response, in the output where they began.',
  'openai.python': 'Requests in the form of the Python client of OpenAI are answered.',
  'openai.models': 'Agents are the models of the OpenAI API; an unknown one is model_not_found.',
  'openai.tools':
    'Tools and files of the server are reported while they happen, and the files can be downloaded by their ids.',
  'openai.conversation':
    'A conversation that the request names continues with its last message alone; a new one has the earlier messages as a transcript.',
  'openai.idempotent': 'A request with the same Idempotency-Key is accepted once.',
  'openai.steer': 'A message to a running turn can steer or stop it.',
  'openai.abort': 'A client of OpenAI that closes its connection stops the turn of its request.',
  'openai.web-search':
    'The web is searched only in a turn whose request asks for it, within what the request says; an agent that cannot search refuses it.',
  'openai.exec': 'Programs run only in a turn whose request asks for them.',
  'openai.files': 'Images and files of a request are attachments, from data URLs and uploads.',
  'openai.errors': 'Every error of the OpenAI API has its shape and names the field.',
  'openai.replaced': 'Text that a turn took back is never the end of its answer.',
};
