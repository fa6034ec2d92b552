import { OwnService } from '../harness/embedded.js';
import {
  allRows,
  createAgent,
  invoke,
  person,
  reaches,
  readTurn,
  script,
  settled,
  startTurn,
} from '../harness/index.js';

let service: OwnService;

beforeAll(async () => {
  service = await OwnService.start();
});
afterAll(() => service.remove());

it('a question asked by an agent outlives two kills; its answer lets the waiting turn go on, once', async () => {
  const api = service.client;
  const target = await person(api);
  const agent = await createAgent(api, {
    action_selectors: ['svc.interaction.open', 'svc.event.wait'].map((selector) => ({
      selector_type: 'exact',
      selector,
    })),
  });
  const asking = await invoke(
    api,
    agent.id,
    script(
      {
        call: {
          name: 'svc_interaction_open',
          input: { kind: 'request_approval', title: 'Ship it?', target_user_ids: [target.id] },
        },
      },
      { say: 'asked' },
    ),
  );
  expect(await settled(api, asking)).toMatchObject({ status: 'completed' });
  const { items } = await target.client.get<{ items: { id: string }[] }>('/v1/interactions', { status: 'pending' });
  const interactionId = String(items[0]?.id);
  const waiting = await startTurn(
    api,
    asking.session_id,
    script({ call: { name: 'svc_event_wait', input: { interaction_id: interactionId } } }, { say: 'after' }),
  );
  await reaches(api, waiting, 'waiting');

  for (let restart = 0; restart < 2; restart += 1) {
    await service.end('SIGKILL');
    await service.run();
    expect(await readTurn(api, waiting)).toMatchObject({ status: 'waiting' });
  }
  await target.client.post(`/v1/interactions/${interactionId}/respond`, { value: true }, 200);

  expect(await settled(api, waiting)).toMatchObject({ status: 'completed' });
  const rows = await allRows(api, asking.session_id);
  expect(rows.filter(({ metadata }) => metadata?.['event_type'] === 'interaction.resolved')).toHaveLength(1);
  expect(rows.at(-1)?.content).toMatchObject([{ type: 'text', text: 'after' }]);
});
