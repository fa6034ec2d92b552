import { takes, updated } from './capability.decide.js';
import { readFrame, type Capability } from './frames.decide.js';

const frame = (content: object) => readFrame(JSON.stringify(content));
const notTaken = 'a frame is a JSON object of at most 64 levels, without __proto__ and numbers over 1e308';
const none: Capability = { actionNames: null, models: null, availableSlots: null };

describe('frames of workers', () => {
  it('X4: registering says who it is and what it can do', () => {
    expect(
      frame({
        type: 'worker.register',
        message_id: 'm',
        worker_instance_id: 'i',
        concurrency_limit: 4,
        models: [{ provider: 'p', model: 'm', more: 1 }],
        name: 'n',
        capabilities: ['x'],
      }),
    ).toEqual({
      messageId: 'm',
      type: 'worker.register',
      instanceId: 'i',
      sessionToken: null,
      name: 'n',
      version: null,
      concurrencyLimit: 4,
      capability: { ...none, models: [{ provider: 'p', model: 'm' }] },
      ignored: ['/capabilities', '/models/0/more'],
    });
  });

  it('reads claims, heartbeats, reports and deltas', () => {
    expect(frame({ type: 'jobs.claim', message_id: 'c', available_slots: 0, action_names: ['a'] })).toEqual({
      messageId: 'c',
      type: 'jobs.claim',
      capability: { ...none, availableSlots: 0, actionNames: ['a'] },
    });
    expect(frame({ type: 'job.heartbeat', job_id: 'j', lease_token: 't' })).toEqual({
      messageId: null,
      type: 'job.heartbeat',
      jobId: 'j',
      leaseToken: 't',
    });
    expect(frame({ type: 'job.report', job_id: 'j', lease_token: 't', result: { a: 1 } })).toEqual({
      messageId: null,
      type: 'job.report',
      jobId: 'j',
      leaseToken: 't',
      status: 'completed',
      result: { a: 1 },
      errorType: null,
      errorMessage: null,
    });
    expect(
      frame({ type: 'job.report', job_id: 'j', lease_token: 't', status: 'failed', error_message: 'x'.repeat(5000) }),
    ).toMatchObject({ status: 'failed', errorMessage: 'x'.repeat(4000) });
    expect(
      frame({ type: 'generation.delta', job_id: 'j', lease_token: 't', sequence: 0, delta: { text: 'x' } }),
    ).toMatchObject({ sequence: 0, delta: { text: 'x' } });
    expect(frame({ type: 'job.progress', job_id: 'j', lease_token: 't', progress: { a: 1 } })).toEqual({
      messageId: null,
      type: 'job.progress',
      jobId: 'j',
      leaseToken: 't',
      progress: { a: 1 },
    });
  });

  it('takes names of at most 256 characters, and cuts no character of a message in two', () => {
    const names = (entry: string) => frame({ type: 'jobs.claim', action_names: [entry] });
    expect(names('x'.repeat(256))).toMatchObject({ type: 'jobs.claim' });
    expect(names('x'.repeat(257))).toHaveProperty('fault');
    const failed = { type: 'job.report', job_id: 'j', lease_token: 't', status: 'failed' };
    expect(frame({ ...failed, error_message: `${'x'.repeat(3999)}😀` })).toMatchObject({
      errorMessage: 'x'.repeat(3999),
    });
    expect(frame({ ...failed, error_type: '' })).toMatchObject({ errorType: null });
  });

  it('X4: a frame that is not taken is answered with its message_id, where it is one that can be read', () => {
    for (const text of [
      `{"type":"jobs.claim","message_id":"m","a":${'['.repeat(64)}${']'.repeat(64)}}`,
      '{"type":"jobs.claim","message_id":"m","a":1e999}',
      '{"type":"jobs.claim","message_id":"m","__proto__":1}',
    ])
      expect(readFrame(text)).toEqual({ fault: notTaken, messageId: 'm' });
    for (const text of [
      '{"message_id":1,"a":1e999}',
      `{"message_id":"${'m'.repeat(257)}","a":1e999}`,
      'null',
      '{"message_id":"m"',
    ])
      expect(readFrame(text)).toEqual({ fault: notTaken, messageId: null });
  });

  it('X4: a frame that is nested over 64 levels is none', () => {
    const report = (levels: number) => {
      const deep = '['.repeat(levels - 2) + ']'.repeat(levels - 2);
      return readFrame(`{"type":"job.report","job_id":"j","lease_token":"t","output":{"deep":${deep}}}`);
    };
    expect(report(64)).toMatchObject({ type: 'job.report' });
    expect(report(65)).toEqual({ fault: notTaken, messageId: null });
    const claim = (levels: number) =>
      readFrame(`{"type":"jobs.claim","message_id":"m","a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
    expect(claim(900)).toEqual({ fault: notTaken, messageId: 'm' });
    expect(claim(1_000)).toEqual({ fault: notTaken, messageId: null });
  });

  it("passes over what it does not know, and says what is wrong under the message's id", () => {
    expect(frame({ type: 'worker.sings' })).toEqual({ messageId: null, type: 'unknown' });
    for (const text of ['{', '[]', '"x"', 'null'])
      expect(readFrame(text)).toEqual({ fault: notTaken, messageId: null });
    for (const content of [
      {},
      { type: 1 },
      { type: 'worker.register' },
      { type: 'worker.register', worker_instance_id: '' },
      { type: 'jobs.claim', available_slots: -1 },
      { type: 'jobs.claim', available_slots: 1.5 },
      { type: 'jobs.claim', action_names: 'a' },
      { type: 'jobs.claim', action_names: [1] },
      { type: 'jobs.claim', models: ['m'] },
      { type: 'jobs.claim', models: [{ provider: 'p' }] },
      { type: 'jobs.claim', action_names: Array.from({ length: 1001 }, () => 'a') },
      { type: 'job.heartbeat', job_id: 'j' },
      { type: 'job.report', job_id: 'j', lease_token: 't', status: 'done' },
      { type: 'job.report', job_id: 'j', lease_token: 't', result: [] },
      { type: 'generation.delta', job_id: 'j', lease_token: 't', sequence: 0 },
      { type: 'generation.delta', job_id: 'j', lease_token: 't', sequence: 0, delta: { text: 'x'.repeat(70_000) } },
      { type: 'worker.register', worker_instance_id: 'x'.repeat(257) },
      { type: 'job.progress', job_id: 'j', lease_token: 't' },
      { type: 'job.progress', job_id: 'j', lease_token: 't', progress: { text: 'x'.repeat(4096) } },
    ])
      expect(frame({ ...content, message_id: 'm' })).toMatchObject({
        fault: expect.any(String) as string,
        messageId: 'm',
      });
  });
});

describe('what a worker takes', () => {
  const action = { kind: 'action_execution', actionName: 'pay' } as const;
  const model = { kind: 'llm_generation', provider: 'p', model: 'm' } as const;

  it('is what it names; every action when it names neither actions nor models', () => {
    expect([takes(none, action), takes(none, model)]).toEqual([true, false]);
    expect([
      takes({ ...none, actionNames: ['pay'] }, action),
      takes({ ...none, actionNames: ['send'] }, action),
      takes({ ...none, actionNames: [] }, action),
    ]).toEqual([true, false, false]);
    const modelled = { ...none, models: [{ provider: 'p', model: 'm' }] };
    expect([takes(modelled, action), takes(modelled, model), takes(modelled, { ...model, provider: 'q' })]).toEqual([
      false,
      true,
      false,
    ]);
    expect(takes({ ...modelled, actionNames: ['pay'] }, action)).toBe(true);
  });

  it('stays as it was where it says nothing new', () => {
    expect(updated({ ...none, actionNames: ['a'], availableSlots: 3 }, { ...none, availableSlots: 1 })).toEqual({
      actionNames: ['a'],
      models: null,
      availableSlots: 1,
    });
  });
});
