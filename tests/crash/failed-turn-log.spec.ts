import { createAgent, invoke, settled, unique } from '../harness/index.js';
import { OwnService } from '../harness/embedded.js';

it('rule G29: a failed turn is one line at info, with ids and the type of its error, and nothing that was said', async () => {
  const service = await OwnService.start({ SVC_LOG_LEVEL: 'info' });
  try {
    const api = service.client;
    const agent = await createAgent(api, { name: unique('wrong'), model: 'no-such-model' });
    const ack = await invoke(api, agent.id, 'a secret word');
    expect(await settled(api, ack)).toMatchObject({ status: 'failed' });
    const right = await createAgent(api, { name: unique('right') });
    await settled(api, await invoke(api, right.id, 'hello'));
    const lines = service.output
      .split('\n')
      .filter((line) => line.includes('"turn failed"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      {
        level: 'info',
        org_id: expect.stringMatching(/^org_/) as string,
        session_id: ack.session_id,
        turn_id: ack.turn_id,
        agent_id: agent.id,
        error_type: 'model_unavailable',
      },
    ]);
    expect(service.output).not.toContain('secret word');
  } finally {
    await service.remove();
  }
});
