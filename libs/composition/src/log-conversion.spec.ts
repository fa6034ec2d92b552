import { OperatorCommands } from '@aos/access';
import { ConvertLog, LogConversion } from './log-conversion.js';

/** Gives what it is told to, and counts how often it was asked. */
class Parts extends ConvertLog {
  asked = 0;

  constructor(private readonly parts: number[]) {
    super();
  }

  override async some(): Promise<number> {
    this.asked += 1;
    await Promise.resolve();
    return this.parts.shift() ?? 0;
  }
}

const registered = (parts: Parts) => {
  const commands = new OperatorCommands();
  new LogConversion(commands, parts).onModuleInit();
  return () => commands.run(['log', 'convert'], {});
};

test('log convert goes on until nothing is left, once for all who ask meanwhile', async () => {
  const parts = new Parts([512, 512, 7]);
  const convert = registered(parts);
  expect(await Promise.all([convert(), convert()])).toEqual([{ moved: 1031 }, { moved: 1031 }]);
  expect(parts.asked).toBe(4);
  expect(await convert()).toEqual({ moved: 0 });
});

test('a conversion that broke off is begun again by the next command', async () => {
  const parts = new Parts([512, 7]);
  const convert = registered(parts);
  const fault = new Error('the log cannot be written');
  jest.spyOn(parts, 'some').mockRejectedValueOnce(fault);
  await expect(convert()).rejects.toBe(fault);
  expect(await convert()).toEqual({ moved: 519 });
});
