import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { PinoLog } from '../../observability/index.js';
import { Contract } from '../contract/contract.js';
import { IdentitySource } from './authentication.js';
import { RouteTable } from './route-table.js';
import { startApp } from '../app/start-app.js';

class NoKeys extends IdentitySource {
  override identify(): Promise<Identity | null> {
    return Promise.resolve(null);
  }
}

const clock = new ManualClock();
const log = PinoLog.create({ app: 'test', level: 'error', pretty: false });

describe('routes', () => {
  const start = (controller: new () => object) => {
    @Module({ controllers: [controller], providers: [{ provide: IdentitySource, useClass: NoKeys }] })
    class Wrong {}
    return startApp('wrong', [Wrong], {
      clock,
      log: log,
      env: { SVC_PORT: '0', SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')) },
    });
  };

  it('do not start when nobody says who asks', async () => {
    @Module({})
    class Empty {}
    await expect(
      startApp('wrong', [Empty], {
        clock,
        log: log,
        env: { SVC_PORT: '0', SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')) },
      }),
    ).rejects.toThrow('no module provides IdentitySource');
  });

  it('do not start when one declares no permission', () => {
    const open = new Contract(
      {
        paths: {
          '/v1/open': { get: { operationId: 'open', tags: ['x'], responses: {} } },
          '/v1/free': { get: { operationId: 'free', tags: ['x'], security: [], responses: {} } },
        },
        components: { schemas: {}, parameters: {} },
        'x-error-catalog': {},
      },
      '',
    );
    const table = new RouteTable(open, new Set(['/internal/commands']));
    for (const path of ['/v1/open', '/v1/free'])
      expect(() => table.bind('GET', path)).toThrow('declares no permission');
    expect(table.bind('POST', '/internal/commands').operation).toBeNull();
  });

  it('do not start when the contract does not have one', async () => {
    @Controller()
    class Unknown {
      @Get('/v1/unknown') get() {
        return {};
      }
    }
    await expect(start(Unknown)).rejects.toThrow('route GET /v1/unknown is not in the contract');
  });
});
