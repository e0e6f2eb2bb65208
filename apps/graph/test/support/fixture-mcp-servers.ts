/** The fixtures that the conformance suite of the Model Context Protocol expects of a server. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  type ContentBlock,
  type ElicitRequestFormParams,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  type PromptMessage,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const IMAGE: ContentBlock = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const AUDIO: ContentBlock = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' };
const embedded = (uri: string, value = 'embedded'): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: value },
});

const CONTENTS: Readonly<Record<string, readonly ContentBlock[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [IMAGE],
  test_audio_content: [AUDIO],
  test_embedded_resource: [embedded('test://embedded-resource')],
  test_multiple_content_types: [text('several'), IMAGE, embedded('test://mixed-content-resource')],
  json_schema_2020_12_tool: [text('kept')],
};

const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

const ELICITED: Readonly<Record<string, ElicitRequestFormParams['requestedSchema']>> = {
  test_elicitation: {
    type: 'object',
    properties: { username: { type: 'string' }, email: { type: 'string' } },
    required: ['username', 'email'],
  },
  test_elicitation_sep1034_defaults: {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  },
  test_elicitation_sep1330_enums: {
    type: 'object',
    properties: {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled('value', 'Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('value', 'Choice') } },
    },
  },
};

const ASKING = ['test_tool_with_logging', 'test_tool_with_progress', 'test_sampling', 'test_error_handling'];

function titled(value: string, title: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((word, at) => ({
    const: `${value}${at + 1}`,
    title: `${word} ${title}`,
  }));
}

/** Replaces the product's tools behind the same endpoint. */
export class FixtureMcpServers {
  create(): McpServer {
    const mcp = new McpServer({ name: 'fixture', version: '1' });
    mcp.server.registerCapabilities({
      tools: {},
      resources: { subscribe: true },
      prompts: {},
      logging: {},
      completions: {},
    });
    answerTools(mcp);
    answerResources(mcp);
    answerPrompts(mcp);
    mcp.server.setRequestHandler(SetLevelRequestSchema, () => ({}));
    mcp.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
    mcp.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
    mcp.server.setRequestHandler(CompleteRequestSchema, () => ({
      completion: { values: ['paris'], total: 1 },
    }));
    return mcp;
  }
}

function answerTools({ server }: McpServer): void {
  const names = [...Object.keys(CONTENTS), ...Object.keys(ELICITED), ...ASKING];
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: names.map((name) => ({
      name,
      description: `fixture ${name}`,
      inputSchema: name.startsWith('json_schema') ? SCHEMA_2020 : { type: 'object' as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const { name, arguments: args = {}, _meta: meta } = params;
    const content = CONTENTS[name];
    if (content !== undefined) return { content: [...content] };
    const requestedSchema = ELICITED[name];
    const related = { relatedRequestId: extra.requestId };
    if (requestedSchema !== undefined) {
      const message = typeof args['message'] === 'string' ? args['message'] : 'a question';
      const { action, content: given } = await server.elicitInput({ message, requestedSchema }, related);
      return { content: [text(`Elicitation completed: action=${action}, content=${JSON.stringify(given)}`)] };
    }
    if (name === 'test_sampling') {
      const prompt = {
        role: 'user' as const,
        content: { type: 'text' as const, text: String(args['prompt']) },
      };
      const { content: said } = await server.createMessage({ messages: [prompt], maxTokens: 100 }, related);
      return { content: [text(`LLM response: ${JSON.stringify(said)}`)] };
    }
    if (name === 'test_error_handling')
      return { isError: true, content: [text('This tool fails on purpose')] };
    for (const progress of [0, 50, 100]) {
      const token = meta?.progressToken;
      const progressed = { method: 'notifications/progress' as const };
      if (name === 'test_tool_with_logging') {
        const logged = { method: 'notifications/message' as const };
        await extra.sendNotification({ ...logged, params: { level: 'info', data: `at ${progress}` } });
      } else if (token !== undefined)
        await extra.sendNotification({
          ...progressed,
          params: { progressToken: token, progress, total: 100 },
        });
    }
    return { content: [text('done')] };
  });
}

function answerResources({ server }: McpServer): void {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: ['static-text', 'static-binary', 'watched-resource'].map((name) => ({
      uri: `test://${name}`,
      name,
      description: `fixture ${name}`,
    })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
    const json = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
    if (id !== undefined) return { contents: [{ uri, mimeType: 'application/json', text: json }] };
    if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PIXEL }] };
    return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of a text resource.' }] };
  });
}

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
  test_prompt_with_image: [],
};

function answerPrompts({ server }: McpServer): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(ARGUMENTS).map(([name, names]) => ({
      name,
      description: `fixture ${name}`,
      arguments: names.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: args = {} } }) => {
    const said = (content: ContentBlock): PromptMessage => ({ role: 'user', content });
    const { arg1 = '', arg2 = '', resourceUri = '' } = args;
    const messages = [said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))];
    if (name === 'test_prompt_with_image') messages.unshift(said(IMAGE));
    if (name === 'test_prompt_with_embedded_resource') messages.unshift(said(embedded(resourceUri)));
    return { messages };
  });
}
