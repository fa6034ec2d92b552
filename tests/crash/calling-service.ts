import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  ActionServer,
  type ActionScript,
  type Agent,
  type Client,
  allRows,
  createAgent,
  type TurnAck,
} from '../harness/index.js';

/** File that names the place at which the process dies. */
const placeIn = (folder: string) => join(folder, 'place');

/** A service that can be killed while it calls custom actions, and the server of these actions, which outlives it. */
export class CallingService {
  private constructor(
    private readonly server: ActionServer,
    private readonly service: OwnService,
    private readonly folder: string,
  ) {}

  static async start(): Promise<CallingService> {
    const server = await ActionServer.start('own');
    const folder = mkdtempSync(join(tmpdir(), 'calling-'));
    writeFileSync(placeIn(folder), '');
    const settings = { SVC_EGRESS_ALLOW: `127.0.0.1:${server.port}`, SVC_FAILPOINT: placeIn(folder) };
    return new CallingService(server, await OwnService.start(settings), folder);
  }

  get client(): Client {
    return this.service.client;
  }

  /** Makes an action whose endpoint answers by this script. */
  async action(name: string, answer: ActionScript, annotations: object = {}): Promise<void> {
    const action = { key: name, name, type: 'http', endpoint: this.server.at(`/${name}`, answer), annotations };
    await this.client.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [action] } }, 200);
  }

  agentWith(...actions: string[]): Promise<Agent> {
    return createAgent(this.client, {
      action_selectors: actions.map((selector) => ({ selector_type: 'exact', selector })),
    });
  }

  /** What the action was sent, in order: the call's input, and the id of its delivery. */
  sent(action: string): { input: Record<string, unknown>; deliveryId: unknown }[] {
    return this.server
      .on(`/${action}`)
      .map(({ headers, body }) => ({
        input: body['parameters'] as Record<string, unknown>,
        deliveryId: headers['x-svc-delivery-id'],
      }));
  }

  /** The results of tool calls in the turn's session. */
  async results(ack: TurnAck) {
    return (await allRows(this.client, ack.session_id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
  }

  /** The process dies, and another one starts on its files. */
  async kill(): Promise<void> {
    await this.service.end('SIGKILL');
    await this.service.run();
  }

  /** The process dies at this place, to which the work leads, and another one starts on its files. */
  async dyingAt<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
    writeFileSync(placeIn(this.folder), place);
    const result = await work();
    await this.service.ended();
    writeFileSync(placeIn(this.folder), '');
    await this.service.run();
    return result;
  }

  async remove(): Promise<void> {
    await this.service.remove();
    await this.server.close();
    rmSync(this.folder, { recursive: true });
  }
}
