import type { AssistantContent, ModelMessage as AiMessage, ToolContent, ToolSet, UserContent, jsonSchema } from 'ai';
import type { ModelBlock, ModelMessage, ModelOption, ModelTool } from '@aos/kernel';
import type { Vendor } from './thinking-effort.js';

type Part<C> = Extract<C, readonly unknown[]>[number];

/** Marks a signature that stands for thinking which the provider keeps to itself. */
const redactedPrefix = 'redacted:';
const cacheHere = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };
/** Stands for a newest message of which the model sees nothing. */
const nothingShown = 'The message holds nothing that can be shown to you.';
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * The transcript in the `ai` package's form.
 *
 * Takes    messages in which every tool result answers an earlier tool use.
 * Gives    messages without blocks that the model cannot see (images without vision, documents without documents, blank
 *          text, thinking that is not signed by this vendor); a message left empty is left out. Tool results stand
 *          before what else their row says. There is one at least, and the last is no answer: providers refuse both.
 */
export function toAiMessages(messages: readonly ModelMessage[], option: ModelOption, vendor: Vendor): AiMessage[] {
  const toolNames = new Map<string, string>();
  const given: AiMessage[] = [];
  for (const { role, content } of messages) {
    if (role === 'assistant') {
      for (const block of content) if (block.type === 'tool_use') toolNames.set(block.id, block.name);
      const parts = content.flatMap((block) => assistantPart(block, vendor));
      if (parts.length > 0) given.push({ role: 'assistant', content: parts });
      continue;
    }
    const results = content.flatMap((block) => toolPart(block, toolNames));
    if (results.length > 0) given.push({ role: 'tool', content: results });
    const parts = content.flatMap((block) => userPart(block, option));
    if (parts.length > 0) given.push({ role: 'user', content: parts });
  }
  if ((given.at(-1)?.role ?? 'assistant') === 'assistant')
    given.push({ role: 'user', content: [{ type: 'text', text: nothingShown }] });
  const last = given.at(-1);
  if (last && vendor === 'anthropic') last.providerOptions = cacheHere;
  return given;
}

/** The system text, marked as worth caching; undefined when there is none. */
export function toAiInstructions(system: string, vendor: Vendor) {
  if (system.trim() === '') return undefined;
  return {
    role: 'system' as const,
    content: system,
    ...(vendor === 'anthropic' ? { providerOptions: cacheHere } : {}),
  };
}

export function toAiTools(tools: readonly ModelTool[], schema: typeof jsonSchema): ToolSet | undefined {
  if (tools.length === 0) return undefined;
  return Object.fromEntries(
    tools.map(({ name, description, input_schema: inputSchema }) => [
      name,
      {
        description,
        inputSchema: schema({ type: 'object', properties: {}, ...inputSchema } as Parameters<typeof jsonSchema>[0]),
      },
    ]),
  );
}

function assistantPart(block: ModelBlock, vendor: Vendor): Part<AssistantContent>[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'tool_use':
      return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }];
    case 'thinking': {
      if (vendor !== 'anthropic' || !block.signature) return [];
      const proof = block.signature.startsWith(redactedPrefix)
        ? { redactedData: block.signature.slice(redactedPrefix.length) }
        : { signature: block.signature };
      return [{ type: 'reasoning', text: block.thinking, providerOptions: { anthropic: proof } }];
    }
    default:
      return [];
  }
}

function toolPart(block: ModelBlock, toolNames: ReadonlyMap<string, string>): Part<ToolContent>[] {
  if (block.type !== 'tool_result') return [];
  const output = { type: block.is_error ? ('error-text' as const) : ('text' as const), value: block.content };
  return [
    {
      type: 'tool-result',
      toolCallId: block.tool_use_id,
      toolName: toolNames.get(block.tool_use_id) ?? 'tool',
      output,
    },
  ];
}

function userPart(block: ModelBlock, option: ModelOption): Part<UserContent>[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'image':
      return option.vision && imageTypes.has(block.media_type)
        ? [{ type: 'file', data: block.bytes, mediaType: block.media_type }]
        : [];
    case 'document':
      return option.documents ? documentPart(block) : [];
    default:
      return [];
  }
}

/** Every vendor takes PDF; plain text goes as text; other formats no vendor takes. */
function documentPart({
  media_type: mediaType,
  bytes,
  title,
}: Extract<ModelBlock, { type: 'document' }>): Part<UserContent>[] {
  if (mediaType === 'application/pdf')
    return [{ type: 'file', data: bytes, mediaType, filename: title ?? 'document.pdf' }];
  if (!mediaType.startsWith('text/')) return [];
  return [{ type: 'text', text: `${title ? `${title}\n\n` : ''}${Buffer.from(bytes).toString('utf8')}` }];
}

/** What a provider says of a thinking block, as one signature. */
export function signatureOf(metadata: Record<string, Record<string, unknown> | undefined> | undefined): string | null {
  const { signature, redactedData } = metadata?.['anthropic'] ?? {};
  if (typeof signature === 'string' && signature !== '') return signature;
  return typeof redactedData === 'string' ? `${redactedPrefix}${redactedData}` : null;
}
