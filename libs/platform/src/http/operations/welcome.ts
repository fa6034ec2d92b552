const localOrigin = 'http://127.0.0.1:8080';

/** Takes the address as the caller wrote it; gives the text of the first page, with the next three commands. */
export function welcomeText(protocol: string, host: string, version: string): string {
  const origin = /^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : localOrigin;
  return `Agent orchestration service ${version}

The API is described at ${origin}/openapi.yaml. Every call needs a key; the first start printed the key of the Owner.

1. Name the key, and see what it may do:

   export KEY=svck_...
   curl -s ${origin}/v1/me -H "Authorization: Bearer $KEY"

2. Make an agent:

   curl -s ${origin}/v1/agents -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
     -d '{"name": "hello", "model": "svc-scripted-1", "visibility": "organization"}'

3. Talk to it, and watch the turn on the same response:

   curl -sN ${origin}/v1/agents/invoke -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
     -H 'Accept: text/event-stream' \\
     -d '{"agent_ref": {"name": "hello"}, "input": {"content": [{"type": "text", "text": "Hello"}]}}'
`;
}
